import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ObjectTally } from './observe-objects.ts'

const applied = (text: string) => ({ 'kubectl.kubernetes.io/last-applied-configuration': text })
const fields = (manager: string, apiVersion: string, time?: string) => ({
  manager,
  apiVersion,
  operation: 'Update',
  ...(time ? { time } : {}),
})

test('objects: managers and applied manifests by version, each object once', () => {
  const tally = new ObjectTally('light.example.dev')
  const v1 = 'light.example.dev/v1'
  tally.add({
    metadata: {
      namespace: 'a',
      name: 'x',
      managedFields: [
        fields('kubectl', v1, '2026-01-01T00:00:00Z'),
        fields('kubectl', v1, '2026-02-01T00:00:00Z'),
      ],
    },
  })
  tally.add({
    metadata: { namespace: 'a', name: 'y', annotations: applied(`{"apiVersion":"${v1}","kind":"Lamp"}`) },
  })
  tally.add({
    metadata: {
      name: 'z',
      annotations: applied(`{"kind":"Lamp","apiVersion":"${v1}"}`),
      managedFields: [fields('kubectl', 'light.example.dev/v2')],
    },
  })
  tally.add({ metadata: { name: 'w', annotations: applied('damaged') } })
  assert.deepEqual(tally.sight(), {
    count: 4,
    managers: [
      { version: 'v1', manager: 'kubectl', count: 1, last: '2026-02-01T00:00:00Z' },
      { version: 'v2', manager: 'kubectl', count: 1, last: '' },
    ],
    lastApplied: [{ version: 'v1', count: 2, objects: ['a/y', 'z'] }],
  })
})
