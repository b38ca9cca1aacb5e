import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageAgreement, StorageCensusStatus } from '@strata/api'
import { recordOf } from '../../live/observed-for-test.ts'
import { decideShownCensus } from './shown-census.ts'
import { decideStorageRow, type ProofKind, sharesOf } from './storage-rows.ts'

const persisted = (...versions: readonly string[]) =>
  versions.map((version, index) => ({
    ...{ encodingVersion: `example.dev/${version}`, writeKey: 'identity', epoch: 3 - index },
  }))
const agreed = recordOf('things', { a: 'v2', b: 'v2' })
const both = recordOf('things', { a: 'v2', b: 'v2' }, { persisted: persisted('v2', 'v1') })
const split = recordOf('things', { a: 'v2', b: 'v1' })
const loose = recordOf('things', { a: 'v2', b: 'v2' }, { conditions: [] })
const unknown = recordOf(
  'things',
  { a: 'v2', b: 'v2' },
  {
    persisted: [
      ...persisted('v2'),
      { encodingVersion: 'Unknown', writeKey: 'Unknown', epoch: 1, reason: 'NotRemembered' },
    ],
  },
)
const census = (
  counts: Readonly<Record<string, number>>,
  more: Partial<StorageCensusStatus> = {},
): StorageCensusStatus => ({
  ...{ resourceVersion: '9', agreedVersion: 'example.dev/v2', unreadable: 0, proven: true },
  total: Object.values(counts).reduce((sum, each) => sum + each, 0),
  encodings: Object.entries(counts).map(([version, count]) => ({
    encodingVersion: `example.dev/${version}`,
    count,
  })),
  stale: counts['v1'] ?? 0,
  ...more,
})
const before = (counts: Readonly<Record<string, number>>): StorageCensusStatus =>
  census(counts, { agreedVersion: 'example.dev/v1', stale: 0 })
const rowOf = (record: StorageAgreement, status: StorageCensusStatus | undefined) => {
  const seen = { samples: [], ...(status === undefined ? {} : { status }) }
  return decideStorageRow({ record, census: decideShownCensus(seen, record, undefined).status })
}

const cases: ReadonlyArray<
  [
    name: string,
    record: typeof agreed,
    census: StorageCensusStatus | undefined,
    proof: ProofKind,
    needs: boolean,
  ]
> = [
  ['one version on record, fenced', agreed, undefined, 'proven', false],
  ['one version on record, not fenced', loose, undefined, 'clean', false],
  ['two versions on record', both, undefined, 'may-be-old', true],
  ['a version that is not known', unknown, undefined, 'unknown', true],
  ['no agreement', split, undefined, 'unknown', true],
  ['two on record, and the count finds one', both, census({ v2: 5 }), 'proven', false],
  [
    'the count finds one, and writes are not fenced',
    loose,
    census({ v2: 5 }, { proven: false }),
    'clean',
    false,
  ],
  ['the count finds both', both, census({ v2: 5, v1: 2 }), 'stale', true],
  ['some cannot be read', both, census({ v2: 5 }, { unreadable: 1 }), 'unreadable', true],
  ['counted while the servers agreed on another version', both, before({ v1: 20 }), 'may-be-old', true],
  ['counted before an old server wrote again', both, census({ v2: 5 }, { epoch: 1 }), 'may-be-old', true],
  ['counted in a record that was lost', both, census({ v2: 5 }, { recordUID: 'lost' }), 'may-be-old', true],
  ['counted while the servers agreed, and now they do not', split, census({ v2: 5 }), 'unknown', true],
]
for (const [name, record, counted, proof, needs] of cases)
  test(`storage: ${name}: ${proof}`, () => {
    const row = rowOf(record, counted)
    assert.deepEqual([row.proof.kind, row.needsAttention], [proof, needs])
  })

test('storage: a count from before another agreement is neither drawn nor summed up', () => {
  const { total, layers } = rowOf(both, before({ v1: 20 }))
  assert.equal(total, undefined)
  assert.deepEqual(
    layers.map(({ version, count, isOld }) => [version, count, isOld]),
    [
      ['v1', undefined, true],
      ['v2', undefined, false],
    ],
  )
})

test('storage: layers are counted, the old one on the left, and those under another key are old too', () => {
  const keys = census({}, { writeKey: 'k2', stale: 3, total: 9 })
  const encodings = [
    { encodingVersion: 'example.dev/v2', key: 'k2', count: 6 },
    { encodingVersion: 'example.dev/v2', key: 'k1', count: 3 },
  ]
  const { layers } = decideStorageRow({ record: agreed, census: { ...keys, encodings } })
  assert.deepEqual(
    layers.map(({ version, key, count, isOld }) => [version, key, count, isOld]),
    [
      ['v2', 'k1', 3, true],
      ['v2', 'k2', 6, false],
    ],
  )
})

test('storage: a layer of one object among many is seen; without a count all layers have the same share', () => {
  const counted = decideStorageRow({ record: both, census: census({ v1: 1, v2: 9_999 }) })
  const [old = 0, now = 0] = sharesOf(counted)
  assert.ok(old > 1 && now > 90 && Math.abs(old + now - 100) < 0.001)
  assert.deepEqual(sharesOf(decideStorageRow({ record: both, census: undefined })), [50, 50])
})
