import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { keptMarks, managingTools } from './tool-marks.ts'

const rows: readonly [
  name: string,
  annotations: Readonly<Record<string, string>>,
  want: readonly RegExp[],
][] = [
  ['nothing', { a: 'b' }, []],
  [
    'Helm',
    { 'meta.helm.sh/release-name': 'lamps', 'meta.helm.sh/release-namespace': 'light' },
    [/^Helm: release lamps in namespace light; /],
  ],
  ['Argo CD', { 'argocd.argoproj.io/tracking-id': 'app:x' }, [/^Argo CD: app:x; .*pause the sync$/]],
  [
    'Flux',
    { 'kustomize.toolkit.fluxcd.io/name': 'crds', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
    [/^Flux: Kustomization flux-system\/crds reverts/],
  ],
  ['OLM', { 'olm.managed': 'true' }, [/^Operator Lifecycle Manager: /]],
]
for (const [name, annotations, want] of rows) {
  test(`tools that manage a CRD: ${name}`, () => {
    const crd = crdForTest({ versions: 'v1*' })
    const found = managingTools({ ...crd, metadata: { ...crd.metadata, annotations } })
    assert.equal(found.length, want.length)
    for (const [index, each] of want.entries()) assert.match(found[index] ?? '', each)
  })
}

test('tools that manage a CRD: their marks stay, and others are the file’s', () => {
  const marks = { 'app.kubernetes.io/managed-by': 'Helm', 'argocd.argoproj.io/sync-wave': '-1', own: 'x' }
  const { own: _, ...others } = marks
  assert.deepEqual(keptMarks(marks), others)
  assert.deepEqual(keptMarks(undefined), {})
})
