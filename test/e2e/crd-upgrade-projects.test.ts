import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withServer } from '../golden/served-store.ts'
import { isFullSize } from '../support/full-size.ts'
import { type PublishedCrd, type PublishedProject, publishedProjects } from '../support/published-crds.ts'
import { UpgradeDesk } from './crd-upgrade/upgrade-desk.ts'
import { findInstance } from './real-crds/find-instance.ts'
import { assertHolds } from './real-crds/live.ts'
import { type Json, Operator } from './real-crds/operator.ts'
import { kindIn, storageVersion } from './real-crds/published-kind.ts'

/** Two of its upgrades need a bridge, and one must stop: backendtlspolicies. `npm run test:full` takes every project. */
const quick = ['gateway-api']
const named = process.env.STRATA_CRD_PROJECTS?.split(',')
const wanted = named ?? (isFullSize ? undefined : quick)
const projects = publishedProjects((project) => wanted?.includes(project) ?? true).filter(
  ({ releases }) => releases.length > 1,
)
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
  await withServer('sqlite', (access) =>
    Operator.with(access, (operator) =>
      UpgradeDesk.with(operator, access, async (desk) => {
        for (const each of projects) await t.test(each.project, (inner) => walk(inner, desk, each))
      }),
    ),
  )
})

async function walk(t: TestContext, desk: UpgradeDesk, project: PublishedProject): Promise<void> {
  const { operator } = desk
  const paths = pathsOf(project)
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
  const files = paths.map(({ file }) => file)
  const planned = await desk.upgrade([...files, '--dry-run'], { speed: 10 })
  const stops = planned.reports.filter(
    ({ result }) => !['not done', 'would be upgraded', 'unchanged'].includes(result),
  )
  for (const each of stops) assertStop(each)
  const stopped = new Set(stops.map(({ definition }) => definition))
  const going = paths.filter(({ name }) => !stopped.has(name))
  const { code, reports, warned } = await desk.upgrade(going.map(({ file }) => file))
  assert.equal(code, 0, warned)
  const kinds: Record<string, number> = {}
  for (const { plan } of reports) kinds[plan.kind] = (kinds[plan.kind] ?? 0) + 1
  for (const { name, next } of going) await assertArrived(operator, next, before.get(name))
  t.diagnostic(
    JSON.stringify({ ...kinds, stopped: stops.map(({ definition, result }) => `${definition}: ${result}`) }),
  )
  if (project.project === 'gateway-api') {
    assert.ok(
      stopped.has('backendtlspolicies.gateway.networking.k8s.io'),
      'its fields have other names in v1',
    )
  }
  await operator.good(['delete', ...names, '--timeout=120s'])
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

async function assertArrived(operator: Operator, next: PublishedCrd, before: Json): Promise<void> {
  const { status } = await operator.must(
    'GET',
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${next.metadata.name}`,
  )
  const known = new Set(next.spec.versions.map(({ name }) => name))
  assert.ok(status.storedVersions.every((each: string) => known.has(each)))
  const { path } = kindIn(next, storageVersion(next))
  const after = await operator.must('GET', `${path}/kept`)
  assert.equal(after.metadata.uid, before.metadata.uid)
  assertHolds(before.spec ?? null, after.spec, next.metadata.name)
}
