import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeBatch } from '../store.ts'
import type { WatchEvent } from './etcd-messages.ts'
import { WatchCollector } from './watch-collector.ts'

const event = (key: string, revision: number): WatchEvent => ({
  kind: 'put',
  entry: { key, value: new Uint8Array(0), revision, createRevision: revision },
})
const brief = (batch: ChangeBatch | undefined): string | undefined =>
  batch && `${batch.changes.map(({ key, revision }) => `${key}${revision}`).join(' ')} to ${batch.revision}`

type Response = [events: readonly WatchEvent[], moreFollows: boolean]
const cases: ReadonlyArray<
  [name: string, responses: readonly Response[], want: readonly (string | undefined)[]]
> = [
  ['a whole response is a batch', [[[event('a', 4), event('b', 5)], false]], ['a4 b5 to 5']],
  ['a response without events is none', [[[], false]], [undefined]],
  [
    'a revision split over two parts waits for its end',
    [
      [[event('a', 4)], true],
      [[event('b', 4)], false],
    ],
    [undefined, 'a4 b4 to 4'],
  ],
  [
    'revisions before the newest of a part are complete',
    [
      [[event('a', 3), event('a', 4), event('b', 5)], true],
      [[event('c', 5), event('a', 6)], true],
      [[event('b', 6)], false],
    ],
    ['a3 a4 to 4', 'b5 c5 to 5', 'a6 b6 to 6'],
  ],
  [
    'a part that begins a new revision completes the one before',
    [
      [[event('a', 4)], true],
      [[event('a', 5)], true],
      [[event('a', 6)], false],
    ],
    [undefined, 'a4 to 4', 'a5 a6 to 6'],
  ],
  [
    'nothing is carried over once a response has ended',
    [
      [[event('a', 4)], false],
      [[event('a', 5)], false],
    ],
    ['a4 to 4', 'a5 to 5'],
  ],
]
for (const [name, responses, want] of cases) {
  test(`watch collector: ${name}`, () => {
    const collector = new WatchCollector()
    assert.deepEqual(
      responses.map(([events, moreFollows]) => brief(collector.take(events, moreFollows))),
      want,
    )
  })
}

test('watch collector: a deletion has no value', () => {
  const { entry } = event('a', 4)
  assert.deepEqual(new WatchCollector().take([{ kind: 'delete', entry }], false), {
    revision: 4,
    changes: [{ kind: 'delete', key: 'a', revision: 4 }],
  })
})
