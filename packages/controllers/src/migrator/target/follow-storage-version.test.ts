import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@strata/client'
import { followStorageVersion } from './follow-storage-version.ts'

type Event = readonly [type: string, resourceVersion: string, common?: string]
const from = { resourceVersion: '5', commonEncodingVersion: 'g/v2' }

/** A client whose watches give these events, one list of them for each watch; a text breaks it. */
async function seen(...watches: readonly (readonly (Event | string)[])[]) {
  const asked: unknown[] = []
  const left = [...watches]
  async function* watch(options: unknown): AsyncGenerator<unknown> {
    asked.push(options)
    for (const each of left.shift() ?? []) {
      if (typeof each === 'string') throw new Error(each)
      const [type, resourceVersion, commonEncodingVersion] = each
      yield { type, object: { metadata: { resourceVersion }, status: { commonEncodingVersion } } }
    }
  }
  const client = { resource: () => ({ watch }) } as unknown as Client
  const { signal } = new AbortController()
  const history = followStorageVersion(client, { group: 'g', resource: 'r' }, from, signal)
  for (let turn = 0; turn < 50; turn++) await undefined
  const same = ['5', '6', '7', '8', '9'].filter((each) => history.isSameUpTo(each)).join(' ')
  return { same, asked }
}

const same: Event = ['MODIFIED', '6', 'g/v2']
const cases: readonly (readonly [
  name: string,
  watches: readonly (readonly (Event | string)[])[],
  upTo: string,
])[] = [
  ['nothing happened', [[]], '5'],
  ['it was written, and says the same', [[same, ['MODIFIED', '7', 'g/v2']]], '5 6 7'],
  [
    'it says something else, and then the same again',
    [[same, ['MODIFIED', '7', 'g/v1'], ['MODIFIED', '8', 'g/v2']]],
    '5 6',
  ],
  [
    'the common version is gone for a moment',
    [
      [
        ['MODIFIED', '6'],
        ['MODIFIED', '7', 'g/v2'],
      ],
    ],
    '5',
  ],
  [
    'it was deleted and made anew',
    [
      [
        ['DELETED', '6', 'g/v2'],
        ['ADDED', '7', 'g/v2'],
      ],
    ],
    '5',
  ],
  [
    'a watch that ended goes on where it was',
    [[same, ['BOOKMARK', '8']], [['MODIFIED', '9', 'g/v2']]],
    '5 6 9',
  ],
  ['a watch that broke is broken for good', [[same, 'broken'], [['MODIFIED', '7', 'g/v2']]], '5 6'],
]
for (const [name, watches, upTo] of cases) {
  test(`a followed StorageVersion: ${name}`, async () => assert.equal((await seen(...watches)).same, upTo))
}

test('a followed StorageVersion: only this one, from where it was read', async () => {
  const { asked } = await seen([same], [])
  assert.deepEqual(asked, [
    { fieldSelector: 'metadata.name=g.r', resourceVersion: '5', bookmarks: true },
    { fieldSelector: 'metadata.name=g.r', resourceVersion: '6', bookmarks: true },
  ])
})
