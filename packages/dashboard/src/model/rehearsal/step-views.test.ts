import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsalResult, StepResult } from '@strata/rehearsal/result'
import { resultOf, stepOf, stored } from './result-for-test.ts'
import { type StepTone, storedVersions, viewOfResult } from './step-views.ts'

const tones: ReadonlyArray<
  [verdict: StepResult['verdict'], expected: StepResult['verdict'], text: string, tone: StepTone]
> = [
  ['safe', 'safe', 'safe', 'good'],
  ['unsafe', 'safe', 'UNSAFE', 'alarm'],
  ['unsafe', 'unsafe', 'UNSAFE (expected)', 'left'],
  ['refused', 'safe', 'REFUSED', 'left'],
  ['safe', 'refused', 'SAFE (expected: refused)', 'left'],
  ['could not see', 'safe', 'COULD NOT SEE', 'unknown'],
]
for (const [verdict, expected, text, tone] of tones)
  test(`a step of a rehearsal: ${verdict}, and ${expected} was expected`, () => {
    const step = stepOf(1, { verdict, expected, passed: verdict === expected })
    const [shown] = viewOfResult(resultOf([step])).steps
    assert.deepEqual([shown?.verdict, shown?.tone], [text, tone])
  })

test('a step of a rehearsal: its layers are old once a newer version has been stored', () => {
  const [v1, v2] = ['light.example.dev/v1', 'light.example.dev/v2']
  const steps = [{ [v1]: 3 }, { [v2]: 1, [v1]: 2 }, { [v2]: 3 }, { [v1]: 3 }]
  const { steps: shown } = viewOfResult(
    resultOf(steps.map((each, at) => stepOf(at + 1, { stored: stored(each) }))),
  )
  const texts = shown.map(({ layers }) =>
    layers[0]?.layers.map(({ version, count, isOld }) => `${version} ${count}${isOld ? ' old' : ''}`),
  )
  assert.deepEqual(texts, [['v1 3'], ['v1 2 old', 'v2 1'], ['v2 3'], ['v1 3 old']])
  assert.deepEqual(
    shown.map(({ layers }) => layers[0]?.total),
    [3, 3, 3, 3],
  )
})

test('a rehearsal: colours are learnt from all of its versions', () => {
  const steps = [{ 'a/v1': 1 }, { 'a/v2': 1, unknown: 1 }]
  const result = resultOf(steps.map((each, at) => stepOf(at + 1, { stored: stored(each) })))
  assert.deepEqual([...storedVersions(result)], [['lamps.light.example.dev', ['v1', 'v2', 'unknown']]])
})

const found: RehearsalResult['interleavings'] = {
  ...{ searched: 2, possible: 9, lateWrites: { stored: 1, refused: 0 } },
  found: {
    step: 2,
    verdict: 'unsafe',
    reasons: [],
    story: ['1. Server 3 stops.', '2. It goes on.'],
    events: [],
  },
}
const bad = resultOf(
  [
    stepOf(1),
    stepOf(2, { verdict: 'unsafe', passed: false }),
    stepOf(3, { verdict: 'refused', passed: false }),
  ],
  { server: 'kube-apiserver', verdict: 'unsafe', passed: false, interleavings: found },
)

test('a rehearsal: it says which step decides, about which kind of server, and tells the story there', () => {
  const view = viewOfResult(bad)
  assert.deepEqual([view.tone, view.decisive], ['alarm', 1])
  assert.match(view.summary, /^UNSAFE on kube-apiservers: step 2 /)
  assert.match(
    view.about,
    /^3 servers, server: kube-apiserver, which has no fence; played in simulated time$/,
  )
  assert.match(view.search, /^2 of 9 interleavings/)
  assert.deepEqual(
    view.steps.map(({ story }) => story?.lines),
    [undefined, ['Server 3 stops.', 'It goes on.'], undefined],
  )
})

test('a rehearsal: if all is safe, no step decides', () => {
  assert.deepEqual(viewOfResult(resultOf([stepOf(1)])).decisive, undefined)
})

test('a step of a rehearsal: notes are no reasons, and what happened is told with it', () => {
  const note = { level: 'note', rule: 'migrated', message: 'is migrated' } as const
  const reason = { level: 'unsafe', rule: 'unreadable', message: 'cannot be read' } as const
  const events = [
    { atMs: 1, step: 1, kind: 'step', text: 'upgrade' },
    { atMs: 2, step: 1, kind: 'server', text: 'server 1 starts' },
    { atMs: 3, step: 2, kind: 'server', text: 'server 2 starts' },
  ] as const
  const [shown] = viewOfResult(
    resultOf([stepOf(1, { reasons: [note, reason] }), stepOf(2)], { events }),
  ).steps
  assert.deepEqual([shown?.reasons, shown?.notes], [[reason], [note]])
  assert.deepEqual(shown?.events, [events[1]])
})
