import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerStatus } from '@strata/insight'
import { nowMs, observedFleet } from '../live/observed-for-test.ts'
import { statusOf } from './fleet-facts.ts'
import { keepPlaces } from './server-places.ts'

const { servers } = statusOf(observedFleet(['a', 'b', 'c'], []), nowMs)
const [a, b, c] = servers as readonly [ServerStatus, ServerStatus, ServerStatus]
const all = keepPlaces([], servers, nowMs)
const gone = keepPlaces(all, [b, c], nowMs)
const again = { ...a, serverID: 'a-started-anew' }

const cases: ReadonlyArray<
  [name: string, seen: Parameters<typeof keepPlaces>, want: readonly (readonly [ServerStatus, boolean])[]]
> = [
  [
    'all are there',
    [[], servers, nowMs],
    [
      [a, true],
      [b, true],
      [c, true],
    ],
  ],
  [
    'one that left keeps its place',
    [all, [b, c], nowMs],
    [
      [{ ...a, hasLease: false, silentSeconds: undefined }, false],
      [b, true],
      [c, true],
    ],
  ],
  [
    'one that comes back has its place',
    [gone, [b, c, again], nowMs + 30_000],
    [
      [again, true],
      [b, true],
      [c, true],
    ],
  ],
  [
    'one that stays away loses it',
    [gone, [b, c], nowMs + 60_000],
    [
      [b, true],
      [c, true],
    ],
  ],
]
for (const [name, [before, seen, atMs], want] of cases)
  test(`server places: ${name}`, () => {
    const places = keepPlaces(before, seen, atMs)
    assert.deepEqual(
      places.map(({ server, leftMs }) => [server, leftMs === undefined]),
      want,
    )
  })
