import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, ManagedFieldsEntry } from '@strata/api'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { decideStatusManager, decideWriter, lastWriterText, ownedMarks } from './decide-writer.ts'

const versions = { 'f:spec': { 'f:versions': {} } }

function entry(
  manager: string,
  operation: 'Apply' | 'Update',
  more: { readonly time?: string; readonly fields?: object; readonly subresource?: string } = {},
): ManagedFieldsEntry {
  const { time = '2026-01-01T00:00:00Z', fields = versions, subresource } = more
  return {
    ...{ manager, operation, apiVersion: 'apiextensions.k8s.io/v1', time },
    ...{ fieldsType: 'FieldsV1', fieldsV1: fields },
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function managedBy(...managedFields: readonly ManagedFieldsEntry[]): CustomResourceDefinition {
  const crd = crdForTest({ versions: 'v1*' })
  return { ...crd, metadata: { ...crd.metadata, managedFields } as CustomResourceDefinition['metadata'] }
}

const later = '2026-02-01T00:00:00Z'
const rows: readonly [
  name: string,
  live: CustomResourceDefinition | undefined,
  want: readonly [manager: string, operation: string],
][] = [
  ['there is no CRD: as kubectl apply --server-side', undefined, ['kubectl', 'Apply']],
  ['no manager owns the versions', managedBy(), ['kubectl', 'Apply']],
  ['Helm created it', managedBy(entry('helm', 'Update')), ['helm', 'Update']],
  [
    'who applies owns more than who updated later',
    managedBy(entry('kubectl-edit', 'Update', { time: later }), entry('argocd-controller', 'Apply')),
    ['argocd-controller', 'Apply'],
  ],
  [
    'of two who updated, the later one',
    managedBy(entry('kubectl-create', 'Update'), entry('kubectl-replace', 'Update', { time: later })),
    ['kubectl-replace', 'Update'],
  ],
  [
    'a CA injector owns another field',
    managedBy(
      entry('kubectl', 'Apply'),
      entry('cainjector', 'Update', { time: later, fields: { 'f:spec': { 'f:conversion': {} } } }),
    ),
    ['kubectl', 'Apply'],
  ],
  [
    'who writes the status is no owner of the spec',
    managedBy(entry('kube-apiserver', 'Update', { subresource: 'status', fields: versions })),
    ['kubectl', 'Apply'],
  ],
]
for (const [name, live, [manager, operation]] of rows) {
  test(`writer of a CRD: ${name}`, () => {
    assert.deepEqual(decideWriter(live), { manager, operation })
  })
}

test('writer of a CRD: the status is written in the name of its owner, else of the spec’s', () => {
  const status = { subresource: 'status', fields: { 'f:status': { 'f:conditions': {} } } }
  const both = managedBy(entry('kubectl', 'Apply'), entry('kube-apiserver', 'Update', status))
  assert.equal(decideStatusManager(both), 'kube-apiserver')
  assert.equal(decideStatusManager(managedBy(entry('helm', 'Update'))), 'helm')
})

test('writer of a CRD: who wrote the spec last', () => {
  const live = managedBy(entry('kubectl', 'Apply'), entry('argocd-controller', 'Update', { time: later }))
  assert.equal(lastWriterText(live), 'argocd-controller (Update, 2026-02-01T00:00:00Z)')
  assert.equal(lastWriterText(managedBy()), undefined)
})

test('writer of a CRD: owns only its own labels', () => {
  const labelled = (name: string): object => ({ 'f:metadata': { 'f:labels': { [`f:${name}`]: {} } } })
  const live = managedBy(
    entry('kubectl', 'Apply', { fields: labelled('ours') }),
    entry('other', 'Update', { fields: labelled('theirs') }),
  )
  live.metadata = { ...live.metadata, labels: { ours: '1', theirs: '2' } }
  assert.deepEqual(ownedMarks(live, { manager: 'kubectl', operation: 'Apply' }, 'labels'), { ours: '1' })
})
