import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Seen, SeenObject } from '../support/client-log.ts'
import { judgeClient, type ObjectChange } from './judge-client.ts'

// A judge that never objects proves nothing, so each of its objections is provoked once.
const object = (id: string, colour: string, revision: number): SeenObject => ({ id, colour, revision })
const state = (revision: number, ...items: SeenObject[]): Seen => ({ kind: 'state', revision, items })
const event = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  id: string,
  colour: string,
  revision: number,
): Seen => ({
  ...{ kind: 'event', type, id, colour, revision },
})
const bookmark = (revision: number): Seen => ({ kind: 'bookmark', revision })

const changes: readonly ObjectChange[] = [
  { id: 'n/a', colour: 'a1', revision: 2 },
  { id: 'n/b', colour: 'b1', revision: 3 },
  { id: 'n/a', colour: 'a2', revision: 5 },
  { id: 'n/b', colour: undefined, revision: 6 },
  { id: 'n/b', colour: 'b2', revision: 9 },
]
const [a1, b1] = [object('n/a', 'a1', 2), object('n/b', 'b1', 3)]
const modified = event('MODIFIED', 'n/a', 'a2', 5)
const deleted = event('DELETED', 'n/b', 'b1', 6)
const added = event('ADDED', 'n/b', 'b2', 9)

const cases: ReadonlyArray<[name: string, log: readonly Seen[], objection: RegExp | undefined]> = [
  [
    'everything once and in order is fine',
    [state(4, a1, b1), modified, deleted, bookmark(8), added],
    undefined,
  ],
  [
    'who lists again may skip',
    [state(4, a1, b1), state(9, object('n/a', 'a2', 5), object('n/b', 'b2', 9))],
    undefined,
  ],
  ['a lost event', [state(4, a1, b1), deleted, added], /^lost: n\/a=a2 at 5, before DELETED/],
  ['a lost last event', [state(4, a1, b1), modified, deleted], /^lost at the end: n\/b=b2 at 9/],
  [
    'an event twice',
    [state(4, a1, b1), modified, modified, deleted, added],
    /^invented: MODIFIED n\/a=a2 at 5/,
  ],
  ['an event of the state again', [state(4, a1, b1), event('ADDED', 'n/b', 'b1', 3)], /^went back from 4/],
  ['two events swapped', [state(4, a1, b1), deleted, modified, added], /^lost: n\/a=a2/],
  [
    'a change that never was',
    [state(4, a1, b1), modified, deleted, event('ADDED', 'n/c', 'c', 7), added],
    /no such change/,
  ],
  [
    'a value that never was',
    [state(4, a1, b1), event('MODIFIED', 'n/a', 'x', 5), deleted, added],
    /^invented/,
  ],
  [
    'a wrong name for what happened',
    [state(4, a1, b1), event('ADDED', 'n/a', 'a2', 5), deleted, added],
    /^invented/,
  ],
  [
    'a deletion that shows another value',
    [state(4, a1, b1), modified, event('DELETED', 'n/b', 'b2', 6), added],
    /^invented/,
  ],
  [
    'a bookmark that promises too much',
    [state(4, a1, b1), modified, bookmark(6), deleted, added],
    /^lost: n\/b deleted at 6/,
  ],
  ['a list without an object', [state(4, a1), modified, deleted, added], /^list at 4: n\/b is missing/],
  ['a list from the past', [state(5, a1, b1), deleted, added], /^list at 5: n\/a at 2/],
  ['a list with an object twice', [state(4, a1, b1, b1), modified, deleted, added], /there twice/],
  [
    'a list that goes back in time',
    [state(4, a1, b1), modified, state(4, a1, b1)],
    /^went back from 5 to state at 4/,
  ],
]

for (const [name, log, objection] of cases) {
  test(`judge of a client: ${name}`, () => {
    const [first] = judgeClient(log, changes)
    if (objection) assert.match(first ?? 'no objection', objection)
    else assert.equal(first, undefined)
  })
}
