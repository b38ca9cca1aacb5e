import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, Commit, Entry, Guard, Write } from '@strata/server/store'
import { findSender, type SentCommit, type Told } from './sent-commits.ts'
import { trueOutcomes } from './true-outcomes.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const put = (key: string, value = 'x'): Write => ({ kind: 'put', key, value: bytes(value) })
const remove = (key: string): Write => ({ kind: 'delete', key })
const stored = (key: string, revision: number): Entry => ({
  ...{ key, revision, createRevision: revision, value: bytes('old') },
})

function sent(
  writer: string,
  writes: Write[],
  more: Partial<SentCommit> & { guards?: Guard[] } = {},
): SentCommit {
  const { guards = [], ...rest } = more
  const commit: Commit = { writes, guards }
  return { writer, commit, sentMs: 0, found: [], broken: [], ...rest }
}

const told = (how: Told, ...revisions: number[]) => ({ told: { how, text: '', revisions } })

function changed(...writes: Write[]): Change[] {
  return writes.map((write, index) =>
    write.kind === 'put'
      ? { ...write, revision: 10 + index, createRevision: 10 + index }
      : { ...write, revision: 10 + index },
  )
}

const senders: ReadonlyArray<
  [what: string, changes: Change[], sent: SentCommit[], want: string | undefined, length?: number]
> = [
  ['a commit that nobody sent', changed(put('/a')), [sent('one', [put('/b')])], undefined],
  ['the same key, other bytes', changed(put('/a')), [sent('one', [put('/a', 'y')])], undefined],
  ['the one who sent it', changed(put('/a')), [sent('one', [put('/b')]), sent('two', [put('/a')])], 'two', 1],
  ['only a part of it', changed(put('/a')), [sent('one', [put('/a'), put('/b')])], undefined],
  ['all of it', changed(put('/a'), put('/b'), put('/c')), [sent('one', [put('/a'), put('/b')])], 'one', 2],
  [
    'a delete of what is absent changes nothing',
    changed(put('/a')),
    [sent('one', [remove('/z'), put('/a')])],
    'one',
    1,
  ],
  ['a delete of what is there', changed(remove('/there')), [sent('one', [remove('/there')])], 'one', 1],
  [
    'of two that write the same, the one whose guard holds',
    changed(remove('/there')),
    [
      sent('one', [remove('/there')], { guards: [{ key: '/there', revision: 4 }] }),
      sent('two', [remove('/there')], { guards: [{ key: '/there', revision: 5 }] }),
    ],
    'two',
    1,
  ],
  [
    'of two that write the same, the one that was not refused',
    changed(remove('/there')),
    [sent('one', [remove('/there')], told('refused')), sent('two', [remove('/there')], told('unknown'))],
    'two',
    1,
  ],
  [
    'of two that write the same, the one that was called written there',
    changed(put('/a')),
    [
      sent('one', [put('/a')], told('unknown')),
      sent('two', [put('/a')], told('committed', 9)),
      sent('three', [put('/a')], told('committed', 10)),
    ],
    'three',
    1,
  ],
  [
    'one that was found before, where there is no other: it came twice',
    changed(put('/a')),
    [sent('one', [put('/a')], { found: [7] })],
    'one',
    1,
  ],
  [
    'one that was found before, where there is another',
    changed(put('/a')),
    [sent('one', [put('/a')], { found: [7] }), sent('two', [put('/a')])],
    'two',
    1,
  ],
]
for (const [what, changes, all, want, length] of senders) {
  test(`sender of a change: ${what}`, () => {
    const found = findSender(changes, all, (key) => (key === '/there' ? stored(key, 5) : undefined))
    assert.equal(found?.sender.writer, want)
    assert.equal(found?.length, length)
  })
}

const outcomes: ReadonlyArray<[what: string, sent: SentCommit, isTrue: boolean]> = [
  ['unanswered, there', sent('a', [put('/a')], { found: [7] }), true],
  ['unanswered, not there', sent('a', [put('/a')]), true],
  ['unknown, there', sent('a', [put('/a')], { found: [7], ...told('unknown') }), true],
  ['unknown, not there', sent('a', [put('/a')], told('unknown')), true],
  ['committed, there', sent('a', [put('/a')], { found: [7], ...told('committed', 7) }), true],
  ['committed, at another revision', sent('a', [put('/a')], { found: [7], ...told('committed', 8) }), false],
  ['committed, not there', sent('a', [put('/a')], told('committed', 7)), false],
  ['committed, and nothing to delete', sent('a', [remove('/a')], told('committed', 7)), true],
  ['refused, not there', sent('a', [put('/a')], told('refused')), true],
  ['refused, there', sent('a', [put('/a')], { found: [7], ...told('refused') }), false],
  ['not written, not there', sent('a', [put('/a')], told('failed')), true],
  ['not written, there', sent('a', [put('/a')], { found: [7], ...told('failed') }), false],
  ['there twice', sent('a', [put('/a')], { found: [7, 9], ...told('unknown') }), false],
  ['there although a guard was broken', sent('a', [put('/a')], { found: [7], broken: ['/a'] }), false],
]
for (const [what, each, isTrue] of outcomes) {
  test(`true outcomes: ${what} is ${isTrue ? 'fine' : 'noticed'}`, () => {
    assert.equal([...trueOutcomes([each])].length, isTrue ? 0 : 1)
  })
}
