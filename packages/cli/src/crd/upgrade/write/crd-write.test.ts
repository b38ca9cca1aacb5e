import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { type CrdFile, writeOfFile, writeOfSpec } from './crd-write.ts'

const name = 'lamps.light.example.dev'
const helm = { manager: 'helm', operation: 'Update' } as const
const kubectl = { manager: 'kubectl', operation: 'Apply' } as const
const guard = { name, uid: 'u', resourceVersion: '1' }

function withMarks(
  crd: CustomResourceDefinition,
  annotations: Readonly<Record<string, string>>,
): CustomResourceDefinition {
  return { ...crd, metadata: { ...crd.metadata, annotations } }
}

const fileOf = (crd: CustomResourceDefinition): CrdFile => ({
  ...{ spec: crd.spec as unknown as CrdFile['spec'], labels: undefined, annotations: undefined },
  manifest: { kind: 'CustomResourceDefinition' },
})
const live = crdForTest({ versions: 'v1*' })
const next = crdForTest({ versions: 'v1 v2*' })

test('write of a CRD: an applier sends the whole file, guarded', () => {
  const { writer, body } = writeOfFile(name, live, fileOf(next), kubectl)
  assert.deepEqual(writer, kubectl)
  assert.deepEqual(body, {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    ...{ metadata: guard, spec: next.spec },
  })
})

test('write of a CRD: who updates sends what differs', () => {
  const { body } = writeOfFile(name, live, fileOf(next), helm)
  assert.deepEqual(body, { metadata: guard, spec: { versions: next.spec.versions } })
})

test('write of a CRD: a field that the file lacks is removed by an update', () => {
  const before = crdForTest({ versions: 'v1*', webhook: 'https://h.example.dev' })
  const { body } = writeOfFile(name, before, fileOf(live), helm)
  assert.deepEqual(body, {
    ...{ metadata: guard, spec: { conversion: { webhook: null, strategy: 'None' } } },
  })
})

test('write of a CRD: a CA bundle that a controller has put there stays', () => {
  const before = crdForTest({ versions: 'v1*', webhook: 'https://old.example.dev' })
  const clientConfig = { url: 'https://old.example.dev', caBundle: 'QQ==' }
  const conversion = {
    ...before.spec.conversion,
    webhook: { clientConfig, conversionReviewVersions: ['v1'] },
  }
  const injected = { ...before, spec: { ...before.spec, conversion } } as CustomResourceDefinition
  const wanted = crdForTest({ versions: 'v1*', webhook: 'https://new.example.dev' })
  const { body } = writeOfFile(name, injected, fileOf(wanted), helm)
  assert.deepEqual(body['spec'], {
    conversion: { webhook: { clientConfig: { url: 'https://new.example.dev' } } },
  })
})

test('write of a CRD: marks of tools stay, and are added to those of the file', () => {
  const marked = withMarks(live, { 'meta.helm.sh/release-name': 'lamps', other: 'x' })
  const { body } = writeOfFile(name, marked, { ...fileOf(next), annotations: { new: 'y' } }, kubectl)
  assert.deepEqual(body['metadata'], {
    ...{ ...guard, annotations: { 'meta.helm.sh/release-name': 'lamps', new: 'y' } },
  })
})

test('write of a CRD: the note of kubectl apply is brought up to date, by an update alone', () => {
  const note = 'kubectl.kubernetes.io/last-applied-configuration'
  const noted = withMarks(live, { [note]: '{}\n' })
  const client = { manager: 'kubectl-client-side-apply', operation: 'Update' } as const
  assert.deepEqual(writeOfFile(name, noted, fileOf(next), client).body['metadata'], {
    ...{ ...guard, annotations: { [note]: '{"kind":"CustomResourceDefinition"}\n' } },
  })
  assert.deepEqual(writeOfFile(name, noted, fileOf(next), kubectl).body['metadata'], guard)
})

test('write of a CRD: a new one is applied, by every writer', () => {
  const { writer, body } = writeOfFile(name, undefined, fileOf(next), helm)
  assert.deepEqual([writer.operation, body['metadata']], ['Apply', { name }])
})

test('write of a CRD: a bridge changes the spec alone', () => {
  const marked = withMarks(live, { other: 'x' })
  assert.deepEqual(writeOfSpec(marked, next.spec, kubectl).body['metadata'], guard)
  assert.deepEqual(writeOfSpec(marked, next.spec, helm).body, {
    ...{ metadata: guard, spec: { versions: next.spec.versions } },
  })
})
