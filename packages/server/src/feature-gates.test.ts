import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFeatureGates, parseFeatureGates } from './feature-gates.ts'

const off = { ...defaultFeatureGates, StorageVersionHash: false }
const cases: ReadonlyArray<[text: string, want: ReturnType<typeof parseFeatureGates>]> = [
  ['', defaultFeatureGates],
  ['StorageVersionHash=false', off],
  [' StorageVersionHash = F ,', off],
  ['StorageVersionHash=0,StorageVersionHash=1', defaultFeatureGates],
  [
    'StorageVersionHash',
    {
      problem:
        'missing bool value for StorageVersionHash: say StorageVersionHash=true or StorageVersionHash=false',
    },
  ],
  ['StorageVersionHash=no', { problem: 'invalid value of StorageVersionHash=no: say true or false' }],
  ['Teleport=true', { problem: 'unrecognized feature gate: Teleport; there are: StorageVersionHash' }],
  ['toString=true', { problem: 'unrecognized feature gate: toString; there are: StorageVersionHash' }],
]
for (const [text, want] of cases) {
  test(`feature gates: "${text}"`, () => assert.deepEqual(parseFeatureGates(text), want))
}
