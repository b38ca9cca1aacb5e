import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceClient, WatchEvent } from '@strata/client'
import { type Heard, judgeWatch, overhear, relistsOf } from './judge-watch.ts'

// A judge that never objects proves nothing, so each of its objections is provoked once.
const event = (
  what: Exclude<Heard['what'], 'list' | 'watch' | 'BOOKMARK'>,
  name: string,
  at: number,
): Heard => ({
  ...{ what, name, at },
})
const list = (at: number, states: Readonly<Record<string, number>>): readonly Heard[] => [
  ...Object.entries(states).map(([name, each]) => event('listed', name, each)),
  { what: 'list', at },
]
const watch = (at: number): Heard => ({ what: 'watch', at })
const bookmark = (at: number): Heard => ({ what: 'BOOKMARK', at })
const modified = (name: string, at: number): Heard => event('MODIFIED', name, at)

const begin = [...list(3, { a: 2, b: 3 }), watch(3)]
const shared = [modified('a', 7), modified('b', 7)]
const whole = [...begin, modified('b', 4), modified('a', 5), bookmark(6), ...shared]

const cases: ReadonlyArray<[name: string, heard: readonly Heard[], objections: readonly RegExp[]]> = [
  ['every state, in order', whole, []],
  ['a watch that resumes gets its revision again', [...whole, watch(7), ...shared], []],
  [
    'one that was cut within a revision, and gets the rest of it',
    [...whole.slice(0, -1), watch(7), ...shared],
    [],
  ],
  [
    'history was lost, and a list brings what there is',
    [...begin, modified('b', 4), ...list(7, { a: 7, b: 7 })],
    [],
  ],
  ['a list that brings nothing new', [...whole, ...list(8, { a: 7, b: 7 }), watch(8)], []],
  [
    'a list excuses only those of which it brings a state',
    [...begin, modified('b', 4), ...list(5, { a: 5, b: 4 }), watch(5), modified('a', 7)],
    [/^b: stored at 7, last heard of at 4$/, /^b: 2 states instead of 3$/],
  ],
  [
    'a state is lost after a list in which there was nothing new',
    [...begin, ...list(3, { a: 2, b: 3 }), watch(3), modified('b', 4), ...shared],
    [/^a: 2 states instead of 3$/],
  ],
  ['a state in the middle is lost', whole.filter(({ at }) => at !== 5), [/^a: 2 states instead of 3$/]],
  [
    'the last state is lost',
    whole.slice(0, -1),
    [/^b: stored at 7, last heard of at 4$/, /^b: 2 states instead of 3$/],
  ],
  [
    'those of two objects came in the wrong order',
    [...begin, modified('a', 5), modified('b', 4), ...shared],
    [/^MODIFIED b at 4 after 5$/],
  ],
  [
    'those of one object came in the wrong order',
    [...begin, modified('b', 4), modified('a', 7), modified('a', 5), modified('b', 7)],
    [
      /^MODIFIED a at 5 after 7$/,
      /^MODIFIED a at 5 after 7 of the same$/,
      /^a: stored at 7, last heard of at 5$/,
    ],
  ],
  ['a state is sent twice', [...whole, modified('b', 7)], [/^MODIFIED b at 7 twice$/]],
  [
    'a state from before a bookmark',
    [...begin, modified('b', 4), bookmark(6), modified('a', 5), ...shared],
    [/^MODIFIED a at 5 after 6$/],
  ],
  [
    'a list shows what was before',
    [...whole, ...list(6, { a: 5, b: 7 })],
    [/^listed a at 5 after 7 of the same$/, /^list at 6 after 7$/, /^a: stored/, /^a: 4 states/],
  ],
  [
    'one state too many',
    [...begin, modified('a', 3), ...whole.slice(begin.length)],
    [/^a: 4 states instead of 3$/],
  ],
  [
    'a deletion without a request',
    [...whole, event('DELETED', 'a', 7)],
    [/^DELETED a/, /^DELETED a at 7 twice/],
  ],
  ['an addition of what there is', [...whole, watch(7), event('ADDED', 'a', 7)], [/^ADDED a at 7$/]],
  [
    'an object that was never heard of',
    whole.filter((each) => !('name' in each && each.name === 'b')),
    [/^b: stored at 7, last heard of at undefined$/, /^b: 0 states/],
  ],
  ['an object that is not stored', [...whole, event('ADDED', 'c', 8)], [/^c: not stored$/]],
  ['what is no resourceVersion', [...whole, bookmark(Number.NaN)], [/^BOOKMARK at NaN after 7$/]],
]

for (const [name, heard, objections] of cases) {
  test(`judge of a watch: ${name}`, () => {
    const stored = new Map([
      ['a', 7],
      ['b', 7],
    ])
    const problems = judgeWatch(heard, { stored, states: 3 })
    assert.equal(problems.length, objections.length, problems.join('\n'))
    for (const [index, objection] of objections.entries()) assert.match(problems[index] ?? '', objection)
  })
}

test('judge of a watch: lists after the first are counted', () => {
  assert.equal(relistsOf([]), 0)
  assert.equal(relistsOf(whole), 0)
  assert.equal(relistsOf([...whole, ...list(7, { a: 7 }), ...list(8, {})]), 2)
})

test('judge of a watch: what is overheard is what was sent', async () => {
  const signal = new AbortController().signal
  const object = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } })
  const listed = { metadata: { resourceVersion: '3' }, items: [object('a', '2'), object('b', '3')] }
  async function* sent(): AsyncGenerator<WatchEvent> {
    yield { type: 'MODIFIED', object: object('b', '4') }
    yield { type: 'MODIFIED', object: object('a', '5') }
    yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: '6' } } }
    for (const name of ['a', 'b']) yield { type: 'MODIFIED', object: object(name, '7') }
  }
  const { resource, heard } = overhear({ list: async () => listed, watch: sent } as unknown as ResourceClient)
  await resource.list({}, signal)
  await Array.fromAsync(resource.watch({ resourceVersion: '3' }, signal))
  assert.deepEqual(heard, whole)
})
