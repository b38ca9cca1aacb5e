import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordOf } from '../../live/observed-for-test.ts'
import { explainReview } from './safety-answer.ts'
import { type AskedAnswer, decideShownAnswer, type PageNow, recordsMark } from './shown-answer.ts'

const records = [recordOf('lamps', { a: 'v1' }), recordOf('things', { a: 'v1', b: 'v1' })]
const mark = recordsMark(records)
const answer = explainReview('x+3', { verdict: 'Safe', resources: [] })
const asked: AskedAnswer = { answer, atMs: 7, mark }
const later = records.map((each, index) =>
  index === 0 ? each : { ...each, metadata: { ...each.metadata, resourceVersion: '8' } },
)
const recreated = records.map((each) => ({ ...each, metadata: { ...each.metadata, uid: 'another' } }))
const now: PageNow = { mark, isUnseen: false, isPast: false }

const cases: ReadonlyArray<
  [
    name: string,
    asked: AskedAnswer | undefined,
    now: Partial<PageNow>,
    want: ReturnType<typeof decideShownAnswer>,
  ]
> = [
  ['nothing was asked', undefined, {}, { kind: 'none' }],
  ['the records are as they were', asked, {}, { kind: 'answer', answer, atMs: 7 }],
  [
    'a record has changed',
    asked,
    { mark: recordsMark(later) },
    { kind: 'withdrawn', because: 'changed', release: 'x+3', atMs: 7 },
  ],
  [
    'a record is new',
    asked,
    { mark: recordsMark(records.slice(1)) },
    { kind: 'withdrawn', because: 'changed', release: 'x+3', atMs: 7 },
  ],
  [
    'a record was recreated',
    asked,
    { mark: recordsMark(recreated) },
    { kind: 'withdrawn', because: 'changed', release: 'x+3', atMs: 7 },
  ],
  [
    'the connection is lost: records may change unseen',
    asked,
    { isUnseen: true },
    { kind: 'withdrawn', because: 'unseen', release: 'x+3', atMs: 7 },
  ],
  ['a moment of the past: a verdict is of now', asked, { isPast: true }, { kind: 'past' }],
  [
    'a moment of the past, and nothing was asked',
    undefined,
    { isPast: true, isUnseen: true },
    { kind: 'past' },
  ],
]
for (const [name, given, more, want] of cases)
  test(`safety that is shown: ${name}`, () =>
    assert.deepEqual(decideShownAnswer(given, { ...now, ...more }), want))
