import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { decideDeadVersions } from './dead-versions.ts'

/** `v1`: removed long ago. `v2`: not served, and not stored any more. `v3`: still listed as stored. `v4`: served. `v5`: stored. */
const definition = {
  metadata: { name: 'lamps.light.example.dev' },
  spec: {
    versions: [
      { name: 'v2', served: false, storage: false },
      { name: 'v3', served: false, storage: false },
      { name: 'v4', served: true, storage: false },
      { name: 'v5', served: false, storage: true },
    ],
  },
  status: { storedVersions: ['v3', 'v5'] },
} as unknown as CustomResourceDefinition

const all = ['v1', 'v2', 'v3', 'v4', 'v5']
const rows: readonly [name: string, named: string[], want: string[] | RegExp][] = [
  ['by default every version that is not needed', [], ['v1', 'v2']],
  ['only those that are named', ['v1'], ['v1']],
  ['one that is kept, and is needed for nothing', ['v2'], ['v2']],
  ['one that may be stored is refused', ['v3'], /^v3 is in status\.storedVersions/],
  ['a served one is refused', ['v1', 'v4'], /^v4 is still served/],
  ['the storage version is refused', ['v5'], /^v5 is the storage version/],
]
for (const [name, named, want] of rows) {
  test(`dead versions: ${name}`, () => {
    const dead = decideDeadVersions(definition, named)
    if (want instanceof RegExp) assert.match(dead.kind === 'refused' ? dead.because : '', want)
    else assert.deepEqual(dead.kind === 'dead' ? all.filter(dead.isDead) : dead, want)
  })
}
