import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFeatureGates, parseFeatureGates } from './feature-gates.ts'

const known =
  'APIServerIdentity, AgreedServing, AllowUnsafeMalformedObjectDeletion, EnableCoordinatedDiscoveryDocument, StorageVersionAPI, StorageVersionHash'
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
  ['Teleport=true', { problem: `unrecognized feature gate: Teleport; there are: ${known}` }],
  ['toString=true', { problem: `unrecognized feature gate: toString; there are: ${known}` }],
  ['StorageVersionAPI=false', { ...defaultFeatureGates, StorageVersionAPI: false }],
  [
    'APIServerIdentity=false,StorageVersionAPI=false',
    { ...defaultFeatureGates, StorageVersionAPI: false, APIServerIdentity: false },
  ],
  [
    'APIServerIdentity=false',
    {
      problem:
        'StorageVersionAPI is enabled, but depends on features that are disabled: [APIServerIdentity]; say StorageVersionAPI=false too',
    },
  ],
  [
    'AgreedServing=true,StorageVersionAPI=false',
    {
      problem:
        'AgreedServing is enabled, but depends on features that are disabled: [StorageVersionAPI]; say AgreedServing=false too',
    },
  ],
]
for (const [text, want] of cases) {
  test(`feature gates: "${text}"`, () => assert.deepEqual(parseFeatureGates(text), want))
}
