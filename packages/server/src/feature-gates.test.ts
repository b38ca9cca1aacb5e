import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFeatureGates, parseFeatureGates } from './feature-gates.ts'

const off = { ...defaultFeatureGates, StorageVersionHash: false }
const cases: ReadonlyArray<[text: string, want: ReturnType<typeof parseFeatureGates>]> = [
  ['', defaultFeatureGates],
  ['StorageVersionHash=false', off],
  [' StorageVersionHash = F ,', off],
  ['StorageVersionHash=0,StorageVersionHash=1', defaultFeatureGates],
  ['StorageVersionHash', { problem: 'missing bool value for StorageVersionHash' }],
  [
    'StorageVersionHash=no',
    {
      problem: 'invalid value of StorageVersionHash=no, err: strconv.ParseBool: parsing "no": invalid syntax',
    },
  ],
  ['Teleport=true', { problem: 'unrecognized feature gate: Teleport' }],
  ['toString=true', { problem: 'unrecognized feature gate: toString' }],
]
for (const [text, want] of cases) {
  test(`feature gates: "${text}"`, () => assert.deepEqual(parseFeatureGates(text), want))
}
