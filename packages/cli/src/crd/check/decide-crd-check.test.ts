import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrdDocument } from '../documents/index.ts'
import { type CrdForTest, crdForTest } from '../plan/crd-for-test.ts'
import { decideCrdChecks } from './decide-crd-check.ts'
import { toRelease } from './release.ts'

function documentOf(given: CrdForTest): CrdDocument {
  const { status: _, ...crd } = crdForTest(given)
  const names = { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: null }
  return {
    ...{ name: 'lamps.light.example.dev', apiVersion: 'apiextensions.k8s.io/v1', unknownFields: [] },
    ...{ place: { file: 'lamps.yaml', document: 1, documents: 1, line: 1 }, manifest: {} },
    crd: { ...crd, status: names } as CrdDocument['crd'],
    lineOf: () => 1,
  }
}

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

interface Row {
  readonly name: string
  /** From old to new; the last is the new release. Undefined: the release does not have the CRD. */
  readonly releases: readonly (CrdForTest | string | undefined)[]
  readonly verdict: string
  readonly refused?: readonly string[]
  readonly noWayBack?: readonly string[]
  readonly changes?: readonly string[]
  readonly earlier?: readonly string[]
  readonly maybeStored?: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'a version is added', releases: ['v1*', 'v1* v2'], verdict: 'ok' },
  { name: 'a new CRD', releases: [undefined, 'v1*'], verdict: 'new' },
  { name: 'a CRD that is gone', releases: ['v1*', undefined], verdict: 'removed' },
  {
    name: 'added and stored at once',
    releases: ['v1*', 'v1 v2*'],
    ...{ verdict: 'breaks rollback', noWayBack: ['r1: v2'] },
  },
  { name: 'added first, and stored a release later', releases: ['v1* v2', 'v1 v2*'], verdict: 'ok' },
  {
    name: 'a version goes that only clusters of the first release have stored',
    releases: ['v1alpha1* v1', 'v1alpha1 v1*', 'v1*'],
    verdict: 'refused',
    refused: ['r1 [v1alpha1] gone v1alpha1', 'r1 → r2 [v1alpha1,v1] gone v1alpha1'],
  },
  {
    name: 'two clusters with the same stored versions count once',
    releases: ['v1*', 'v1* v2', 'v1* v2 v3', 'v2*'],
    verdict: 'refused',
    // Each last release has its own file, and so its own plan.
    refused: ['r1 [v1] gone v1', 'r2 [v1] gone v1', 'r3 [v1] gone v1'],
    noWayBack: ['r1: v2'],
  },
  {
    name: 'an upgrade between the older releases that is refused too',
    releases: ['v1alpha1* v1', 'v1*', 'v1* v2'],
    verdict: 'refused',
    refused: ['r1 [v1alpha1] gone v1alpha1'],
    earlier: ['r1 refused r2'],
  },
  {
    name: 'a version goes that only releases before the first one can have stored',
    releases: ['v1beta1 v1*', 'v1beta1 v1*', 'v1*'],
    ...{ verdict: 'warnings', maybeStored: ['v1beta1 in r1'] },
  },
  {
    name: 'a version goes that came after the first release, and was never stored',
    releases: ['v1*', 'v1* v2', 'v1*'],
    verdict: 'warnings',
  },
  {
    name: 'the scope changes',
    releases: ['v1*', { versions: 'v1*', scope: 'Cluster' }],
    verdict: 'refused',
    refused: ['r1 [v1] gone '],
  },
  {
    name: 'pruning begins',
    releases: [
      { versions: 'v1*', schema: open },
      { versions: 'v1*', schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    ],
    verdict: 'warnings',
    changes: ['preserve-unknown-fields-removed <root> in v1 compared with r1'],
  },
]

for (const { name, releases, verdict, ...want } of rows) {
  test(`crd check: ${name}`, () => {
    const all = releases.map((given, index) => {
      const crd = typeof given === 'string' ? { versions: given } : given
      return toRelease(`r${index + 1}`, crd === undefined ? [] : [documentOf(crd)])
    })
    const newest = all.pop()
    assert.ok(newest)
    const [found] = decideCrdChecks(all, newest)
    assert.ok(found)
    assert.deepEqual(
      found.refusals.map((each) => `${each.path} [${each.storedVersions}] gone ${each.gone}`),
      want.refused ?? [],
    )
    assert.deepEqual(
      found.rollbacks.map(({ release, gone }) => `${release}: ${gone}`),
      want.noWayBack ?? [],
    )
    assert.deepEqual(
      found.changes.map(
        (each) => `${each.kind} ${each.path} in ${each.versions} compared with ${each.since}`,
      ),
      want.changes ?? [],
    )
    assert.deepEqual(
      found.earlier.map(({ path, release }) => `${path} refused ${release}`),
      want.earlier ?? [],
    )
    assert.deepEqual(
      found.maybeStored.map(({ version, release }) => `${version} in ${release}`),
      want.maybeStored ?? [],
    )
    assert.equal(found.refusedNew, undefined)
    assert.equal(found.verdict, verdict)
  })
}
