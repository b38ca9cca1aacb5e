import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '@strata/api'
import { decideLease, type LeaseDecision, type LeaseLook } from './decide-lease.ts'

const spec = { leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' }
const lease: Lease = { metadata: { uid: 'u', resourceVersion: '7' }, spec }
const before = { uid: 'u', resourceVersion: '7', watchedMs: 0, lastLookMs: 1_000 }
/** Read a quarter of its duration after the last read, when three quarters had been observed. */
const expired: LeaseLook = {
  lease,
  isIdentity: true,
  before: { ...before, watchedMs: 30_000 },
  nowMs: 11_000,
  defaultDurationMs: 100_000,
}

const cases: readonly [string, Partial<LeaseLook>, LeaseDecision['do']][] = [
  ['N11: unchanged for its whole duration, it is deleted', {}, 'delete'],
  ['a millisecond less is not the whole duration', { nowMs: 10_999 }, 'watch'],
  ['one that is gone is forgotten', { lease: undefined }, 'forget'],
  ['N11: one without the label, or in another namespace, is kept', { isIdentity: false }, 'forget'],
  ['at first sight it is watched, whatever times are in it', { before: undefined }, 'watch'],
  [
    'a renewal restarts the observation',
    { before: { ...before, resourceVersion: '6', watchedMs: 39_000 } },
    'watch',
  ],
  ['a new uid restarts the observation', { before: { ...before, uid: 'v', watchedMs: 39_000 } }, 'watch'],
  [
    'hours without a look vouch for a quarter only',
    { before: { ...before, watchedMs: 20_000 }, nowMs: 9_000_000 },
    'watch',
  ],
  [
    'N11, ours: without a duration it gets the default one',
    { lease: { ...lease, spec: { renewTime: spec.renewTime } } },
    'watch',
  ],
  [
    'N11, ours: never renewed, it gets the default one',
    { lease: { ...lease, spec: { leaseDurationSeconds: 40 } } },
    'watch',
  ],
  [
    'N11, ours: and is deleted after that',
    { lease: { ...lease, spec: {} }, before: { ...before, watchedMs: 75_000 }, nowMs: 26_000 },
    'delete',
  ],
  [
    'one that claims to last for years lasts for a day',
    {
      lease: { ...lease, spec: { ...spec, leaseDurationSeconds: 2 ** 31 - 1 } },
      before: { ...before, watchedMs: 18 * 3_600_000 },
      nowMs: 1_000 + 6 * 3_600_000,
    },
    'delete',
  ],
  ['N11, ours: no spec at all is the same', { lease: { metadata: lease.metadata } }, 'watch'],
]
for (const [name, seen, want] of cases) {
  test(`identity lease: ${name}`, () => assert.equal(decideLease({ ...expired, ...seen }).do, want))
}

test('identity lease: an expired one is deleted after exactly four reads', () => {
  let nowMs = 500
  let observation: LeaseLook['before']
  for (let looks = 0; ; looks++) {
    const decision = decideLease({ ...expired, before: observation, nowMs })
    if (decision.do !== 'watch') {
      assert.deepEqual([decision.do, looks, nowMs], ['delete', 4, 40_500])
      return
    }
    observation = decision.observation
    nowMs += decision.lookAgainMs
  }
})
