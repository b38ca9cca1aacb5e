import { nowMs, observedFleet, recordOf } from '@strata/dashboard/observed-for-test'
import { resultOf, stepOf, stored } from '@strata/dashboard/result-for-test'
import type { CannedObjects, CannedReviews } from './canned-cluster.ts'

/** A fleet in the middle of an upgrade, at a time that stands still: three servers, a migration, a stale layer. */
export { nowMs }

/** A hostile name, or message, that a user may choose. */
export const hostile = '<img src=x onerror=document.title=1>'

const at = (ms: number): string => new Date(nowMs + ms).toISOString()
const all = { a: 'v1', b: 'v1', c: 'v1' }
const agreedSince = at(-120_000)
const agreed = ['signals', 'towers', 'zones'].map((name) => recordOf(name, all, { agreedSince }))
const beacons = recordOf('beacons', { a: 'v2', b: 'v1', c: 'v1' })
const lamps = recordOf(
  'lamps',
  { a: 'v2', b: 'v2', c: 'v2' },
  {
    agreedSince,
    persisted: ['v2', 'v1'].map((version, index) => ({
      ...{ encodingVersion: `example.dev/${version}`, writeKey: 'identity', epoch: 3 - index },
    })),
  },
)
const { records, leases } = observedFleet(['a', 'b', 'c'], [beacons, lamps, ...agreed])

const True = (type: string) => ({ type, status: 'True', lastUpdateTime: at(-20_000) })
const migration = (name: string, more: object, annotations = {}) => ({
  metadata: {
    ...{ name, uid: name, resourceVersion: '5', creationTimestamp: at(-60_000) },
    annotations: { 'strata.dev/claimed-by': 'migrator', ...annotations },
  },
  spec: { resource: { group: 'example.dev', version: 'v1', resource: 'lamps' } },
  status: {
    ...{ conditions: [True('Running')], target: { how: 'record', encodingVersion: 'example.dev/v2' } },
    ...{ total: 1_200, migrated: 780, alreadyCurrent: 36, percent: 68, ratePerSecond: 130, etaSeconds: 3 },
    ...more,
  },
})
const quarantine = [
  { namespace: 'default', name: 'old-1', reason: 'Invalid', message: `spec.colour: ${hostile}` },
  { namespace: 'default', name: hostile, reason: 'Denied', message: 'the policy of the harbour' },
]

export const cannedObjects = {
  'strata.dev/v1alpha1/storageagreements': records.objects,
  'coordination.k8s.io/v1/leases': leases.objects.map((each) => ({
    ...each,
    spec: { ...each.spec, renewTime: at(-1_000) },
  })),
  'migration.k8s.io/v1alpha1/storageversionmigrations': [
    migration('running', { quarantined: 2, quarantine }),
    migration('paused', { percent: 12 }, { 'strata.dev/paused': 'true' }),
    migration('done', { conditions: [True('Succeeded')], result: 'Proven', migrated: 1_164 }),
  ],
} as unknown as CannedObjects

/** While the servers do not agree, no version is the current one. */
const ofNoAgreement = { agreedVersion: undefined, writeKey: undefined, stale: undefined, proven: false }

/** Objects of one resource, which another count finds further on its way. */
function census() {
  let counts = 0
  return ({ resource }: Record<string, unknown>): object => {
    if (resource === 'beacons') return { ...countOf({ v1: 40 }, 'v1'), ...ofNoAgreement }
    if (resource !== 'lamps') return countOf({ v1: 40 }, 'v1')
    counts++
    return countOf({ v1: 900 - 400 * Math.min(2, counts), v2: 300 + 400 * Math.min(2, counts) }, 'v2')
  }
}

function countOf(versions: Readonly<Record<string, number>>, current: string): object {
  const encodings = Object.entries(versions).map(([version, count]) => ({
    ...{ encodingVersion: `example.dev/${version}`, key: 'identity', count },
  }))
  const total = encodings.reduce((sum, { count }) => sum + count, 0)
  const stale = total - (versions[current] ?? 0)
  const objects = stale === 0 ? [] : [{ name: hostile, encodingVersion: 'example.dev/v1' }]
  const agreedVersion = `example.dev/${current}`
  return {
    ...{ resourceVersion: '9', agreedVersion, writeKey: 'identity', total, stale, objects },
    ...{ encodings, unreadable: 0, proven: stale === 0 },
  }
}

const verdict = (resource: string, more: object) => ({
  ...{ group: 'example.dev', resource, verdict: 'Safe', reason: 'Readable', message: 'it reads all' },
  ...{ persistedVersions: ['example.dev/v1'], decodableVersions: ['example.dev/v1', 'example.dev/v2'] },
  ...more,
})

const review = (): object => ({
  verdict: 'Unsafe',
  resources: [
    verdict('lamps', {
      ...{ verdict: 'Unsafe', reason: 'Undecodable', message: `objects may be stored in v1: ${hostile}` },
      ...{ missing: ['example.dev/v1'], persistedVersions: ['example.dev/v2', 'example.dev/v1'] },
      ...{ decodableVersions: ['example.dev/v2'] },
      advice: 'migrate first ("strata migrate lamps.example.dev")',
    }),
    verdict('beacons', { verdict: 'CouldNotSee', reason: 'Unknown', message: 'no server knows it' }),
    ...['signals', 'towers', 'zones'].map((each) => verdict(each, {})),
  ],
})

export const cannedReviews = (): CannedReviews => ({
  'strata.dev/v1alpha1/storagecensuses': census(),
  'strata.dev/v1alpha1/upgradereviews': review,
})

const reason = {
  ...{ level: 'unsafe', rule: 'unreadable', message: `an object is lost: ${hostile}` },
  fix: 'migrate before you go on',
}

/** What `strata rehearse -o json` prints of a path whose last step loses objects. */
export const cannedResult = JSON.stringify({
  rehearsals: [
    {
      file: 'lamps.yaml',
      ...resultOf(
        [
          stepOf(1, { stored: stored({ v1: 2 }) }),
          stepOf(2, { stored: stored({ v1: 2, v2: 1 }) }),
          {
            ...stepOf(3, { stored: stored({ v1: 2, v2: 1 }) }),
            verdict: 'unsafe',
            passed: false,
            reasons: [reason],
          },
        ] as Parameters<typeof resultOf>[0],
        { verdict: 'unsafe', passed: false },
      ),
    },
  ],
})
