import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { printedRights } from '@strata/cli'
import { lampName, lampsName, lampsPath } from '../e2e/lamps.ts'
import type { Answer } from '../support/fleet.ts'
import { RightsCluster, type Run } from '../support/rights-cluster.ts'
import { UpstreamMigrator } from '../support/upstream-migrator.ts'

const count = 5
const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${lampsName}`
const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'
const hidden = ['strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io']
const migrate = ['migrate', lampsName, '--in-tree']

const failure = (status: number, reason: string, message: string): Answer => ({
  ...{ status, headers: {} },
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message },
})

/** A cluster that is not Strata's, with upstream's migrator; commands run with just the rights that strata rbac prints. */
describe('migrate --in-tree', () => {
  let cluster: RightsCluster
  let migrator: UpstreamMigrator
  let user = ''
  /** Writes of these lamps are refused. */
  const refused = new Set<string>()

  /** What a dry run of a write of any lamp is answered. */
  let rehearsal: Answer | undefined

  /** Called before a command creates a migration. */
  let onCreate = async (): Promise<void> => {}

  const denial = (name: string): string => `lamps.light.example.dev "${name}" is forbidden: the guard says no`
  const answerOf = (method: string, url: string): Answer | undefined => {
    const name = /\/lamps\/([^?/]+)/.exec(url)?.[1]
    if (method !== 'PATCH' || name === undefined) return undefined
    if (rehearsal && url.includes('dryRun=All')) return rehearsal
    return refused.has(name) ? failure(422, 'Invalid', denial(name)) : undefined
  }

  before(async () => {
    cluster = await RightsCluster.start(hidden.map((each) => `${each}/v1alpha1=false`).join(','))
    await cluster.fill(count)
    cluster.intercept = async (method, url) => {
      // The migrator goes on whenever the command looks at it: no test has to wait for it.
      if (method === 'GET' && url.includes('/storageversionmigrations')) await migrator.step()
      if (method === 'POST' && url.startsWith(migrations)) await onCreate()
      return answerOf(method, url)
    }
    user = await cluster.user(printedRights(['migrate', lampsName], { inTree: true }))
  })
  after(() => cluster.stop())
  beforeEach(async () => {
    refused.clear()
    rehearsal = undefined
    onCreate = async () => {}
    await cluster.restore()
    await cluster.storeOld()
    migrator = new UpstreamMigrator(cluster, lampsPath)
  })

  const createByAnother = (name: string) =>
    cluster.must('POST', migrations, {
      metadata: { name },
      spec: { resource: { group: 'light.example.dev', resource: 'lamps' } },
    })
  const storedVersions = async (): Promise<readonly string[]> =>
    (await cluster.must('GET', crd)).status.storedVersions
  const migrateAs = async (as: string, more: readonly string[] = [], isEnough?: (run: Run) => boolean) => {
    const ran = await cluster.run(as, [...migrate, ...more], isEnough)
    if (as === user) assert.deepEqual(ran.denied, [], ran.said)
    return ran
  }

  test('a success counts as what a pass over everything finds afterwards', async () => {
    migrator.skipped.add(lampName(2))
    const { code, said } = await migrateAs(user)
    assert.equal(code, 3, said)
    assert.match(
      said,
      /kube-controller-manager runs storageversionmigrations\.storagemigration\.k8s\.io\/strata-in-tree-/,
    )
    assert.match(said, new RegExp(`^${lampsName} +observed clean +${count} +1 `, 'm'))
    assert.match(said, /: Succeeded, and 1 object was left in an old encoding/)
    assert.deepEqual(await storedVersions(), ['v2'])
    const again = await migrateAs(user, ['--accept', 'observed-clean', '-o', 'json'])
    assert.equal(again.code, 0)
    const { inTree } = JSON.parse(again.said.slice(again.said.indexOf('{'))).resources[0]
    assert.equal(inTree.leftBehind, 0)
  })

  test('nothing is created if an object would be refused, and the object is named', async () => {
    refused.add(lampName(3))
    const { code, said } = await migrateAs(user)
    assert.equal(code, 1, said)
    assert.match(said, /1 object would be refused, so upstream's migrator would fail: nothing was created/)
    assert.match(said, /^lamps\S+ +incomplete /m)
    assert.match(said, new RegExp(`default/${lampName(3)}: .*the guard says no`))
    assert.deepEqual(await migrator.migrations(), [])
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])
  })

  test('a failure names the object, and storedVersions that were cut are whole again', async () => {
    migrator.work = async ([, second = '']) => {
      refused.add(second)
      return denial(second)
    }
    const { code, said } = await migrateAs(user)
    assert.equal(code, 1, said)
    assert.match(said, /upstream's migrator failed: 1 object cannot be rewritten/)
    assert.match(said, new RegExp(`default/${lampName(1)}: .*the guard says no`))
    assert.match(said, /stored versions restored: .*v1 is listed again/)
    assert.match(said, new RegExp(`strata migrate ${lampsName} .*--in-tree`))
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])
  })

  test('a failure that no dry run shows is told apart', async () => {
    migrator.work = async () => 'users "system:kube-controller-manager" cannot patch'
    const { code, said } = await migrateAs(user)
    assert.equal(code, 5, said)
    assert.match(said, /concerns only the user of kube-controller-manager/)
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])
  })

  test('a command that was stopped is continued: followed while it runs, repaired when it has failed', async () => {
    const isTaken = ({ asked }: Run): boolean => {
      const [at, isLook] = [(each: string) => each.includes('/storageversionmigrations'), /^GET /]
      const created = asked.findIndex((each) => at(each) && each.startsWith('POST'))
      return created >= 0 && asked.slice(created).some((each) => at(each) && isLook.test(each))
    }
    const stopped = await migrateAs(user, [], isTaken)
    assert.equal(stopped.code, 130, stopped.said)
    migrator.work = async () => 'no'
    while ((await storedVersions()).length > 1) await migrator.step()
    migrator.work = async () => undefined
    const { code, said } = await migrateAs(user)
    assert.equal(code, 3, said)
    assert.match(said, /ended without the command that made it/)
    assert.match(said, /stored versions restored: .*v1 is listed again/)
    assert.equal((await migrator.migrations()).length, 2)
    assert.deepEqual(await storedVersions(), ['v2'])
  })

  test('a webhook that cannot dry-run: what it would refuse is not known, so nothing is created', async () => {
    rehearsal = failure(400, 'BadRequest', 'admission webhook "audit" does not support dry run')
    const { code, said } = await migrateAs(user)
    assert.equal(code, 6, said)
    assert.match(said, /upstream's migrator fails at the first one: nothing was created\. Omit --in-tree/)
    assert.match(said, /admission webhook "audit" does not support dry run/)
    assert.deepEqual(await migrator.migrations(), [])
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])
  })

  test('a migration that another client made is followed to its end, and its failure is repaired', async () => {
    await createByAnother('by-another')
    const followed = /\/by-another is under way: following it/
    migrator.work = async ([first = '']) => {
      refused.add(first)
      return denial(first)
    }
    const failed = await migrateAs(user)
    assert.equal(failed.code, 1, failed.said)
    assert.match(failed.said, followed)
    assert.match(failed.said, /stored versions restored: .*v1 is listed again/)
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])

    refused.clear()
    migrator.work = async () => undefined
    await createByAnother('by-another-again')
    const { code, said } = await migrateAs(user)
    assert.equal(code, 3, said)
    assert.match(said, /\/by-another-again: Succeeded, and nothing was left in an old encoding/)
    const names = (await migrator.migrations()).map(({ metadata }) => metadata.name)
    assert.deepEqual(names, ['by-another', 'by-another-again'])
    assert.deepEqual(await storedVersions(), ['v2'])
  })

  test('a migration that is deleted before its end counts for nothing, and the next one runs', async () => {
    migrator.work = async () => {
      const [{ metadata }] = (await migrator.migrations()) as [{ metadata: { name: string } }]
      await cluster.must('DELETE', `${migrations}/${metadata.name}`)
      return undefined
    }
    const { code, said } = await migrateAs(user)
    assert.equal(code, 4, said)
    assert.match(said, /was deleted before it ended: how much was migrated is not known/)
    assert.deepEqual((await storedVersions()).toSorted(), ['v1', 'v2'])
    migrator.work = async () => undefined
    assert.equal((await migrateAs(user)).code, 3)
    assert.deepEqual(await storedVersions(), ['v2'])
  })

  test('two commands at once: one migration after the other, and both end observed clean', async () => {
    // Neither sees the migration of the other before it creates its own.
    const bothCreate = Promise.withResolvers<void>()
    let creating = 0
    onCreate = async () => {
      if (++creating === 2) bothCreate.resolve()
      await bothCreate.promise
    }
    const both = await Promise.all([migrateAs(user), migrateAs(user)])
    const said = both.map((each) => each.said).join('\n\n')
    assert.deepEqual([both[0].code, both[1].code], [3, 3], said)
    assert.equal((await migrator.migrations()).length, 2)
    assert.deepEqual(await storedVersions(), ['v2'])
  })

  test('without a controller nothing is left behind', async () => {
    migrator.isAway = true
    const { code, said } = await migrateAs(user)
    assert.equal(code, 5, said)
    assert.match(said, /no controller took the migration within 30 s: .*was deleted again/)
    assert.deepEqual(await migrator.migrations(), [])
  })

  test('the rights are asked before anything happens, and none of them is too much', async () => {
    const rights = printedRights(['migrate', lampsName], { inTree: true })
    const plain = printedRights(['migrate', lampsName])
    const isPlain = (right: object) => plain.some((each) => JSON.stringify(each) === JSON.stringify(right))
    const more = rights.filter((each) => !isPlain(each))
    assert.ok(more.length >= 4, JSON.stringify(more))
    for (const right of more) {
      const less = await cluster.user(rights.filter((each) => each !== right))
      const { code, said } = await migrateAs(less)
      assert.equal(code, 5, `${JSON.stringify(right)}: ${said}`)
      assert.match(said, /not allowed: .* lacks .*strata rbac migrate lamps\S+ --in-tree/)
    }
    assert.deepEqual(await migrator.migrations(), [])
  })
})
