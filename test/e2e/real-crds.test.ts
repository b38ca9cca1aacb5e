import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { type ServedStore, servedStores, withServer } from '../golden/served-store.ts'
import { isFullSize } from '../support/full-size.ts'
import {
  type PublishedCrd,
  type PublishedProject,
  type PublishedRelease,
  publishedProjects,
} from '../support/published-crds.ts'
import { type Found, findInstance } from './real-crds/find-instance.ts'
import { live } from './real-crds/live.ts'
import { Operator } from './real-crds/operator.ts'
import {
  isOutOfReach,
  kindIn,
  noWebhook,
  servedVersions,
  storageVersion,
} from './real-crds/published-kind.ts'
import { assertKept, type Kept, keep, type Upgraded, upgrade } from './real-crds/upgrade.ts'

/** Those that show most in little time: upgrades that are refused, rules, webhooks that are not there. */
const quick = [
  'cert-manager',
  'flux-source-controller',
  'gateway-api',
  'karpenter-aws',
  'knative-serving',
  'longhorn',
]
const named = process.env.STRATA_CRD_PROJECTS?.split(',')
const wanted = named ?? (isFullSize ? undefined : quick)

const projects = publishedProjects((project) => wanted?.includes(project) ?? true)
const skip = projects.length === 0 && 'no published definitions here; STRATA_CRDS says where they are'

test('definitions that real projects publish are installed, used and upgraded with kubectl', {
  skip,
  concurrency: 2,
}, async (t) => {
  const lanes = servedStores.map((store, lane) =>
    t.test(`on ${store}`, (inner) =>
      walkAll(
        inner,
        store,
        projects.filter((_, index) => index % servedStores.length === lane),
      ),
    ),
  )
  await Promise.all(lanes)
})

async function walkAll(t: TestContext, store: ServedStore, all: readonly PublishedProject[]): Promise<void> {
  // For one project alone, if it is chosen by name.
  if (all.length === 0) return
  await withServer(store, (access) =>
    Operator.with(access, async (operator) => {
      for (const each of all) await t.test(each.project, (inner) => walk(inner, operator, each))
      await tellCost(t, operator)
      // With all instances that are left.
      await operator.good(['delete', 'crd', '--all', '--timeout=120s'])
    }),
  )
}

/** Every release of a project, one over the other, with instances of the earlier ones present. */
async function walk(t: TestContext, operator: Operator, { releases }: PublishedProject): Promise<void> {
  let kept: readonly Kept[] = []
  for (const [index, release] of releases.entries()) {
    const { crds } = release
    const startMs = nodeClock.monotonicMs()
    const { refused, remade } = await install(operator, release, index)
    kept = kept.map((each) => remade.find(({ crdName }) => crdName === each.crdName) ?? each)
    const installMs = nodeClock.monotonicMs() - startMs
    const unreachable = await assertKept(operator, crds, kept)
    const isLast = index === releases.length - 1
    if (isFullSize || isLast) await explain(operator, crds)
    const { lives, refusals, changedSpecs } =
      isFullSize || isLast ? await liveAll(operator, crds) : { lives: 0, refusals: 0, changedSpecs: 0 }
    if (!isLast) kept = [...kept, ...(await keepAll(operator, crds, kept))]
    t.diagnostic(
      JSON.stringify({
        ...{ release: release.release, crds: crds.length, installMs: Math.round(installMs), refused },
        ...{ lives, changedSpecs, refusals, kept: kept.length, unreachable },
        totalMs: Math.round(nodeClock.monotonicMs() - startMs),
      }),
    )
  }
}

async function install(operator: Operator, release: PublishedRelease, index: number): Promise<Upgraded> {
  let upgraded: Upgraded = { refused: 0, remade: [] }
  const server = ['apply', '--server-side', '--field-manager=installer']
  if (index > 0) upgraded = await upgrade(operator, release, { byReplacing: index % 2 === 0 })
  else await operator.good([...(release.crds.length % 2 === 0 ? ['create'] : server), '-f', release.path])
  await operator.good(['wait', '--for=condition=Established', '--timeout=60s', '-f', release.path])
  return upgraded
}

/** Each kind, and a field below its spec. */
async function explain(operator: Operator, crds: readonly PublishedCrd[]): Promise<void> {
  for (const crd of isFullSize ? crds : crds.slice(0, 1)) {
    const { names } = crd.spec
    const { apiVersion, schema, spec } = kindIn(crd, storageVersion(crd))
    if (!spec.served) continue
    const shown = await operator.good(['explain', names.plural, `--api-version=${apiVersion}`])
    assert.match(shown, new RegExp(`^KIND: +${names.kind}\nVERSION: +${spec.name}\n`, 'm'))
    const [field] = Object.keys(schema.properties?.['spec']?.properties ?? {})
    if (field === undefined) continue
    const path = `${names.plural}.spec.${field}`
    assert.match(
      await operator.good(['explain', path, `--api-version=${apiVersion}`]),
      new RegExp(`^FIELD: ${field} `, 'm'),
    )
  }
}

async function liveAll(operator: Operator, crds: readonly PublishedCrd[]) {
  let lives = 0
  let refusals = 0
  let changedSpecs = 0
  const problems: string[] = []
  const rounds = Math.max(...crds.map((crd) => servedVersions(crd).length))
  for (let round = 0; round < rounds; round++) {
    const found: Found[] = []
    for (const crd of crds) {
      const spec = servedVersions(crd)[round]
      if (!spec) continue
      const kind = kindIn(crd, spec)
      if (isOutOfReach(kind)) await assertOutOfReach(operator, kind)
      else {
        try {
          found.push(await findInstance(operator, kind, 'one'))
        } catch (error) {
          problems.push((error as Error).message)
        }
      }
    }
    lives += found.length
    refusals += found.reduce((sum, each) => sum + each.refusals.length, 0)
    if (found.length > 0) changedSpecs += (await live(operator, found)).changedSpecs
  }
  if (problems.length > 0) assert.fail(problems.join('\n\n'))
  return { lives, refusals, changedSpecs }
}

/** A write that needs a missing conversion webhook is refused, and nothing is stored. */
async function assertOutOfReach(operator: Operator, kind: ReturnType<typeof kindIn>): Promise<void> {
  const metadata = { name: 'one' }
  const { status, body } = await operator.ask('POST', kind.path, {
    apiVersion: kind.apiVersion,
    kind: kind.crd.spec.names.kind,
    metadata,
    spec: {},
  })
  assert.ok(status === 500 || status === 422, `${status} ${body.message}`)
  if (status === 500) assert.match(body.message, noWebhook)
  const stored = kindIn(kind.crd, storageVersion(kind.crd))
  assert.equal((await operator.ask('GET', `${stored.path}/one`)).status, 404)
}

/** One of each kind that has none yet. */
async function keepAll(
  operator: Operator,
  crds: readonly PublishedCrd[],
  before: readonly Kept[],
): Promise<Kept[]> {
  const added: Kept[] = []
  for (const crd of crds) {
    const { name } = crd.metadata
    if (before.some((each) => each.crdName === name)) continue
    const { instance } = await findInstance(operator, kindIn(crd, storageVersion(crd)), 'kept')
    added.push(await keep(operator, crd, instance))
  }
  return added
}

async function tellCost(t: TestContext, operator: Operator): Promise<void> {
  const times: Record<string, number> = {}
  for (const args of [['api-resources'], ['get', 'crd'], ['get', 'namespaces']]) {
    const startMs = nodeClock.monotonicMs()
    await operator.good(args)
    times[args.join(' ')] = Math.round(nodeClock.monotonicMs() - startMs)
  }
  t.diagnostic(JSON.stringify(times))
}
