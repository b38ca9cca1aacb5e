import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import {
  arrive,
  bornAt,
  bridgeSpec,
  type CrdStep,
  decideCrdChecks,
  decideCrdPlan,
  type Release,
  readCrds,
  toRelease,
} from '@strata/cli/crd'
import { isFullSize } from '../support/full-size.ts'
import { startServer } from '../support/one-server.ts'
import { publishedReleases } from '../support/published-crds.ts'

const sample = ['karpenter-aws']
const named = process.env.STRATA_CRD_PROJECTS?.split(',')
const wanted = named ?? (isFullSize ? undefined : sample)
const projects = publishedReleases((project) => wanted?.includes(project) ?? true).filter(
  ({ releases }) => releases.length > 1,
)
const skip = projects.length === 0 && 'no published definitions here; STRATA_CRDS says where they are'

const target = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

// Every path through the releases of a project, really taken: a server refuses what was foretold, in these words, and no more.
for (const { project, releases } of projects) {
  test(`crd check: ${project} foretells every refusal`, { skip }, async (t) => {
    const all: Release[] = []
    for (const { release, path } of releases) all.push(toRelease(release, await readCrds([path])))
    const cluster = await Cluster.start(project)
    let foretold = 0
    for (const [index, newest] of all.entries()) {
      const older = all.slice(0, index)
      const isAsked = isFullSize || index === all.length - 1
      if (isAsked && older.length > 0) foretold += await assertForetold(cluster, older, newest)
    }
    t.diagnostic(`${project}: ${foretold} refusals foretold, ${cluster.writes} writes of CRDs`)
    walkDiagnostic(t, all)
  })
}
if (skip) test('crd check: published releases', { skip }, () => assert.fail('there is data'))

interface Told {
  readonly refusals: ReadonlySet<string>
  /** Releases to which some cluster cannot go back. */
  readonly noWayBack: ReadonlySet<string>
}

async function assertForetold(cluster: Cluster, older: readonly Release[], newest: Release): Promise<number> {
  let count = 0
  for (const check of decideCrdChecks(older, newest)) {
    if (check.verdict === 'removed' || check.verdict === 'new') continue
    const told: Told = {
      refusals: new Set(check.refusals.map((each) => `${each.storedVersions}: ${each.refusal}`)),
      noWayBack: new Set(check.rollbacks.map(({ release }) => release)),
    }
    const seen = await cluster.takeAllPaths(older, newest, check.name)
    const subject = `${check.name} at ${newest.name}`
    assert.deepEqual([...seen.refusals].sort(), [...told.refusals].sort(), subject)
    assert.deepEqual([...seen.noWayBack].sort(), [...told.noWayBack].sort(), `${subject}: the way back`)
    assert.equal(check.refusedNew, undefined, subject)
    count += told.refusals.size
  }
  return count
}

/** How a cluster that takes each release in order gets over the refusals. */
function walkDiagnostic(t: TestContext, all: readonly Release[]): void {
  const kinds = { refused: 0, 'migrate-first': 0, bridge: 0 }
  for (const name of new Set(all.flatMap(({ crds }) => [...crds.keys()]))) {
    const [first, ...rest] = all.flatMap(({ name: release, crds }) => {
      const document = crds.get(name)
      return document ? [{ release, document }] : []
    })
    if (!first) continue
    let life = bornAt(first.release, first.document)
    for (const { release, document } of rest) {
      const { plan, after } = arrive(life, release, document)
      if (plan.refusal !== undefined) {
        kinds.refused += 1
        if (plan.kind === 'bridge' || plan.kind === 'migrate-first') kinds[plan.kind] += 1
      }
      life = after ?? life
    }
  }
  t.diagnostic(`each release in order: ${JSON.stringify(kinds)}`)
}

class Cluster {
  writes = 0
  readonly #server: Awaited<ReturnType<typeof startServer>>

  private constructor(server: Awaited<ReturnType<typeof startServer>>) {
    this.#server = server
  }

  static async start(seed: string): Promise<Cluster> {
    return new Cluster(await startServer(seed))
  }

  /** Born at any of the older releases, through any of those between, to the newest; and back. */
  async takeAllPaths(older: readonly Release[], newest: Release, name: string): Promise<Told> {
    const has = older.filter(({ crds }) => crds.has(name))
    const refusals = new Set<string>()
    const noWayBack = new Set<string>()
    for (const path of subsequences(has)) {
      await this.#create(path[0] as Release, name)
      for (const release of path.slice(1)) await this.#upgrade(release, name)
      const refusal = await this.#upgrade(newest, name)
      if (refusal !== undefined) refusals.add(refusal)
      for (const release of path) {
        const { status, body } = await this.#put(wantedIn(release, name), { dryRun: true })
        if (status === 200) continue
        assert.equal(status, 422, `${release.name}: ${body.message}`)
        noWayBack.add(release.name)
      }
      const { status } = await this.#server.send('DELETE', `${target}/${name}`)
      assert.equal(status, 200)
      await this.#gone(name)
    }
    return { refusals, noWayBack }
  }

  async #create(release: Release, name: string): Promise<void> {
    this.writes += 1
    const { status, body } = await this.#server.send('POST', target, wantedIn(release, name))
    assert.equal(status, 201, body.message)
    await this.#established(name)
  }

  /** The release as it is; where that is refused, by the steps of the plan. */
  async #upgrade(release: Release, name: string): Promise<string | undefined> {
    const wanted = wantedIn(release, name)
    const { status, body } = await this.#put(wanted)
    if (status === 200) return undefined
    assert.equal(status, 422, body.message)
    const live = await this.#read(name)
    const plan = decideCrdPlan({ live, wanted, objects: 'none' })
    assert.notDeepEqual(plan.steps, [], `${name} at ${release.name}: ${plan.missing.join('; ')}`)
    for (const step of plan.steps) await this.#take(step, wanted)
    return `${live.status.storedVersions}: ${body.message}`
  }

  async #take(step: CrdStep, wanted: CustomResourceDefinition): Promise<void> {
    const name = wanted.metadata.name ?? ''
    const live = await this.#read(name)
    if (step.do === 'apply') await this.#good(wanted)
    if (step.do === 'bridge') await this.#good({ ...live, spec: bridgeSpec(live, wanted, step) })
    if (step.do !== 'prune') return
    const storedVersions = (live.status.storedVersions ?? []).filter((each) => !step.drop.includes(each))
    const pruned = { ...live, status: { ...live.status, storedVersions } }
    const { status, body } = await this.#server.send('PUT', `${target}/${name}/status`, pruned)
    assert.equal(status, 200, body.message)
  }

  async #good(crd: CustomResourceDefinition): Promise<void> {
    const { status, body } = await this.#put(crd)
    assert.equal(status, 200, body.message)
  }

  async #put(crd: CustomResourceDefinition, { dryRun = false } = {}) {
    this.writes += 1
    const name = crd.metadata.name ?? ''
    for (let tries = 0; ; tries++) {
      const { resourceVersion } = (await this.#read(name)).metadata
      const body = { ...crd, metadata: { ...crd.metadata, resourceVersion } }
      const answer = await this.#server.send('PUT', `${target}/${name}${dryRun ? '?dryRun=All' : ''}`, body)
      // The server writes conditions of its own meanwhile.
      if (answer.status !== 409 || tries === 10) return answer
    }
  }

  async #read(name: string): Promise<CustomResourceDefinition> {
    const { status, body } = await this.#server.send('GET', `${target}/${name}`)
    assert.equal(status, 200, body.message)
    return body
  }

  async #established(name: string): Promise<void> {
    await this.#until(name, async () => {
      const { conditions } = (await this.#read(name)).status
      return conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false
    })
  }

  async #gone(name: string): Promise<void> {
    await this.#until(name, async () => (await this.#server.send('GET', `${target}/${name}`)).status === 404)
  }

  /** The time is simulated: the server's own work goes on while it passes. */
  async #until(name: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      if (await isSo()) return
      const { simulation } = this.#server
      await simulation.run({ untilMs: simulation.nowMs + 100 })
    }
    assert.fail(`${name}: the server did not do its work`)
  }
}

function wantedIn({ crds }: Release, name: string): CustomResourceDefinition {
  const document = crds.get(name)
  assert.ok(document)
  return document.manifest as unknown as CustomResourceDefinition
}

function subsequences<T>(all: readonly T[]): T[][] {
  const known: T[][] = []
  for (const each of all) known.push([each], ...known.map((one) => [...one, each]))
  return known
}
