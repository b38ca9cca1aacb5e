import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { type StorageCensus, storageCensuses, validateCensus } from './storage-census.ts'
import { type StorageReencode, storageReencodes, validateReencode } from './storage-reencode.ts'
import { type UpgradeReview, upgradeReviews, validateUpgradeReview } from './upgrade-review.ts'

const things = { group: 'example.dev', resource: 'things' }
const nameless = 'spec.resource: Required value: must name the resource'

const censuses: ReadonlyArray<[name: string, spec: StorageCensus['spec'], want: readonly string[]]> = [
  ['of a resource', things, []],
  ['of the core group', { resource: 'secrets', maxObjects: 1_000 }, []],
  ['of nothing', { resource: '' }, [nameless]],
  [
    'with too many names',
    { ...things, maxObjects: 1_001 },
    ['spec.maxObjects: Invalid value: 1001: must be between 0 and 1000, inclusive'],
  ],
]
for (const [name, spec, want] of censuses) {
  test(`census: ${name}`, () => assert.deepEqual(validateCensus({ spec }).map(fieldErrorText), want))
}

const batch = { ...things, epoch: 3, encodingVersion: 'example.dev/v2' }
const batches: ReadonlyArray<[name: string, spec: StorageReencode['spec'], want: readonly string[]]> = [
  ['of a resource', batch, []],
  ['that goes on', { ...batch, limit: 100, continueToken: 'there' }, []],
  [
    'under no agreement',
    { ...batch, epoch: 0, encodingVersion: '' },
    [
      'spec.epoch: Invalid value: 0: must be the epoch of the agreement record',
      'spec.encodingVersion: Required value: must name the version that the servers agree on',
    ],
  ],
  [
    'that is too large',
    { ...batch, limit: 5_001 },
    ['spec.limit: Invalid value: 5001: must be between 0 and 5000, inclusive'],
  ],
  ['of nothing', { ...batch, resource: '' }, [nameless]],
]
for (const [name, spec, want] of batches) {
  test(`reencode: a batch ${name}`, () =>
    assert.deepEqual(validateReencode({ spec }).map(fieldErrorText), want))
}

const reviews: ReadonlyArray<[name: string, spec: UpgradeReview['spec'], want: readonly string[]]> = [
  ['of a release', { release: 'x+1' }, []],
  ['of what a release reads', { resources: [{ ...things, decodableVersions: ['example.dev/v1'] }] }, []],
  [
    'of nothing',
    {},
    [
      'spec.release: Required value: set spec.release to a known release, or list in spec.resources what the release can decode',
    ],
  ],
  [
    'of both',
    { release: 'x', resources: [things] },
    ['spec.resources: Forbidden: may not be set together with spec.release'],
  ],
  [
    'of a resource twice, and of none',
    { resources: [things, { resource: '' }, things] },
    [
      'spec.resources[1].resource: Required value',
      'spec.resources[2]: Duplicate value: "things.example.dev"',
    ],
  ],
]
for (const [name, spec, want] of reviews) {
  test(`upgrade review: ${name}`, () =>
    assert.deepEqual(validateUpgradeReview({ spec }).map(fieldErrorText), want))
}

test('questions: they are asked at their own paths, and never stored', () => {
  for (const [kind, path] of [
    [storageCensuses, 'storagecensuses'],
    [storageReencodes, 'storagereencodes'],
    [upgradeReviews, 'upgradereviews'],
  ] as const) {
    assert.deepEqual(
      [kind.group, Object.keys(kind.versions), kind.plural, kind.isReview, kind.strategy.verbs],
      ['strata.dev', ['v1alpha1'], path, true, ['create']],
    )
  }
})
