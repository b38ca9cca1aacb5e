import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { compileStructuralSchema, type Schema } from '@strata/api'
import { type ServerAccess, withServer } from '../golden/served-store.ts'
import { isFullSize } from '../support/full-size.ts'
import { type PublishedCrd, type PublishedProject, publishedProjects } from '../support/published-crds.ts'
import { differingPaths } from './crd-upgrade/differing-paths.ts'
import { givenCluster } from './crd-upgrade/given-cluster.ts'
import { UpgradeDesk } from './crd-upgrade/upgrade-desk.ts'
import { findInstance } from './real-crds/find-instance.ts'
import { type Json, Operator } from './real-crds/operator.ts'
import { kindIn, storageVersion } from './real-crds/published-kind.ts'

/** Two of its upgrades need a bridge, and one must stop: backendtlspolicies. `npm run test:full` takes every project. */
const quick = ['gateway-api']
const named = process.env.STRATA_CRD_PROJECTS?.split(',')
const wanted = named ?? (isFullSize ? undefined : quick)
const projects = publishedProjects((project) => wanted?.includes(project) ?? true).filter(
  ({ releases }) => releases.length > 1,
)
/** A cluster that is there already, of any make; else a server of this clone. */
const given = process.env.STRATA_CRD_KUBECONFIG
const skip = projects.length === 0 && 'no published definitions here; STRATA_CRDS says where they are'

/** A CRD in the first release that has it, and in the newest. */
interface Path {
  readonly name: string
  readonly old: PublishedCrd
  readonly next: PublishedCrd
  readonly file: string
}

function pathsOf({ releases }: PublishedProject): readonly Path[] {
  const newest = releases.at(-1)
  return (newest?.crds ?? []).flatMap((next) => {
    const { name } = next.metadata
    const [old] = releases.flatMap(({ crds }) => crds.filter(({ metadata }) => metadata.name === name))
    const file = join(newest?.path ?? '', next.file.replace(/^.*\//, ''))
    return old === undefined || old === next ? [] : [{ name, old, next, file }]
  })
}

test('crd upgrade: the CRDs of real projects, from their first release to the newest', {
  skip,
}, async (t) => {
  await withCluster((access) =>
    Operator.with(access, (operator) =>
      UpgradeDesk.with(operator, access, async (desk) => {
        for (const each of projects) await t.test(each.project, (inner) => walk(inner, desk, each))
      }),
    ),
  )
})

async function withCluster(body: (access: ServerAccess) => Promise<void>): Promise<void> {
  await (given === undefined ? withServer('sqlite', body) : body(await givenCluster(given)))
}

async function walk(t: TestContext, desk: UpgradeDesk, project: PublishedProject): Promise<void> {
  const { operator } = desk
  const paths = pathsOf(project)
  const names = paths.map(({ name }) => `crd/${name}`)
  const there = await operator.good(['get', ...names, '--ignore-not-found', '-o', 'name'])
  assert.equal(there, '', 'the cluster has CRDs of these names, which this test would delete')
  try {
    await upgradeAll(t, desk, project, paths)
  } finally {
    await operator.good(['delete', ...names, '--ignore-not-found', '--timeout=120s'])
  }
}

async function upgradeAll(
  t: TestContext,
  desk: UpgradeDesk,
  { project }: PublishedProject,
  paths: readonly Path[],
): Promise<void> {
  const { operator } = desk
  const items = paths.map(({ old: { file: _, ...crd } }) => crd)
  await operator.good(['apply', '--server-side', '-f', '-'], { apiVersion: 'v1', kind: 'List', items })
  const names = paths.map(({ name }) => `crd/${name}`)
  await operator.good(['wait', '--for=condition=Established', '--timeout=60s', ...names])
  const before = new Map<string, Json>()
  for (const { name, old } of paths) {
    const kind = kindIn(old, storageVersion(old))
    const { instance } = await findInstance(operator, kind, 'kept')
    before.set(name, await operator.must('POST', kind.path, instance))
  }
  const upgrade = (some: readonly Path[], flags: readonly string[], speed = 1) =>
    desk.upgrade([...some.map(({ file }) => file), '--accept', 'observed-clean', ...flags], { speed })
  const planned = await upgrade(paths, ['--dry-run'], given === undefined ? 10 : 1)
  const stops = planned.reports.filter(
    ({ result }) => !['not done', 'would be upgraded', 'unchanged'].includes(result),
  )
  for (const each of stops) assertStop(each)
  const losses = new Map<string, readonly Json[]>(stops.map((each) => [each.definition, each.losses]))
  const going = paths.filter(({ name }) => !losses.has(name))
  const { code, reports, warned } = await upgrade(going, [])
  assert.equal(code, 0, warned)
  const kinds: Record<string, number> = {}
  for (const { plan } of reports) kinds[plan.kind] = (kinds[plan.kind] ?? 0) + 1

  const refused: string[] = []
  for (const lossy of paths.filter(({ name }) => losses.has(name))) {
    const named = losses.get(lossy.name) ?? []
    const accepted = named.flatMap(({ path }) => ['--accept-loss', path])
    const {
      code: ended,
      reports: [report],
      warned: words,
    } = await upgrade([lossy], accepted)
    if (ended === 0) continue
    // What is lost may make the object one that the new schema never takes: it stays as it is stored.
    assert.ok(
      named.some(({ kind }) => kind === 'refused'),
      words,
    )
    assert.match(report.because, /refused: (?:default\/)?kept: /)
    const { path } = kindIn(lossy.old, storageVersion(lossy.old))
    assert.deepEqual(
      differingPaths(kept(before.get(lossy.name)), kept(await operator.must('GET', `${path}/kept`))),
      [],
    )
    refused.push(lossy.name)
  }
  for (const path of paths) {
    if (refused.includes(path.name)) continue
    await assertArrived(operator, path, before.get(path.name), losses.get(path.name) ?? [])
  }
  t.diagnostic(
    JSON.stringify({
      ...kinds,
      refused,
      stopped: stops.map(({ definition, result }) => `${definition}: ${result}`),
    }),
  )
  if (project === 'gateway-api') {
    assert.ok(losses.has('backendtlspolicies.gateway.networking.k8s.io'), 'its fields have other names in v1')
  }
}

/** It says which field of which object would be lost, and the CRD is untouched. */
function assertStop({ definition, result, losses, because }: Json): void {
  assert.equal(result, 'lossy', `${definition}: ${because}`)
  assert.ok(losses.length > 0, definition)
  for (const { path, examples } of losses) {
    assert.ok(because.includes(path), because)
    assert.match(examples[0], /(?:^|\/)kept$/)
  }
}

/** The object is as before, but for defaults of the new schema, and differs at exactly the paths that were named. */
async function assertArrived(
  operator: Operator,
  { old, next }: Path,
  before: Json,
  losses: readonly Json[],
): Promise<void> {
  const { status } = await operator.must(
    'GET',
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${next.metadata.name}`,
  )
  const known = new Set(next.spec.versions.map(({ name }) => name))
  assert.ok(status.storedVersions.every((each: string) => known.has(each)))
  const { path, schema } = kindIn(next, storageVersion(next))
  // Defaults are filled in when an object is read in the version that it is stored in, and when it is written.
  const filled = withoutUnstoredStatus(before, old)
  const stored = next.spec.versions.find(({ name }) => name === storageVersion(old).name)
  for (const each of stored === undefined ? [schema] : [kindIn(next, stored).schema, schema])
    compileStructuralSchema(each as Schema).applyDefaults(filled)
  const after = await operator.must('GET', `${path}/kept`)
  const isNoDefault = new Set(differingPaths(kept(filled), kept(after)))
  const changed = differingPaths(kept(before), kept(after)).filter((each) => isNoDefault.has(each))
  const named = losses.filter(({ kind }) => kind !== 'refused').map((each) => each.path)
  assert.deepEqual(changed, [...new Set(named)].sort(), next.metadata.name)
}

/**
 * kube-apiserver stores no status with a create, and shows the default of the schema on each read: such a status is that of
 * the new schema after the upgrade.
 */
function withoutUnstoredStatus(before: Json, old: PublishedCrd): Json {
  const { status, ...rest } = structuredClone(before)
  const born = structuredClone(rest)
  compileStructuralSchema(kindIn(old, storageVersion(old)).schema as Schema).applyDefaults(born)
  return isDeepStrictEqual(born.status, status) ? rest : { ...rest, status }
}

/** Without what every rewrite changes. */
function kept({ apiVersion: _, metadata, ...rest }: Json): Json {
  const { resourceVersion: __, managedFields: ___, generation: ____, ...others } = metadata
  return { ...rest, metadata: others }
}
