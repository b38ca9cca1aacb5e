import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disagreements, type Ledger, promising, readLedger, shrunk } from './ledger.ts'
import type { Transcript } from './replay-transcripts.ts'
import type { StepResult } from './step-result.ts'

const later = { owner: 'issue 9', why: 'later' }
const ledger: Ledger = { 'a/known': later }
const step = (id: string, ok: boolean): StepResult => ({ id, ok, why: ok ? '' : '  differs' })

const cases: ReadonlyArray<[name: string, results: readonly StepResult[], want: readonly string[]]> = [
  ['what is listed fails and the rest passes', [step('a/known', false), step('a/other', true)], []],
  [
    'a step fails that is not listed',
    [step('a/known', false), step('a/other', false)],
    ['a/other fails and is not listed:\n  differs'],
  ],
  [
    'a listed step passes',
    [step('a/known', true)],
    ['a/known passes: take it off the list (ledger.ts --update)'],
  ],
  ['a listed step is not there', [], ['a/known is listed and there is no such step']],
]
for (const [name, results, want] of cases) {
  test(`ledger: ${name}`, () => assert.deepEqual(disagreements(results, ledger), want))
}

test('ledger: a step that was not played is still a step', () => {
  assert.deepEqual(disagreements([], ledger, ['a/known', 'a/other']), [])
})

test('ledger: it shrinks by what passes on every store, and never grows', () => {
  const both: Ledger = { ...ledger, 'b/unplayed': later }
  assert.deepEqual(shrunk(both, [[step('a/known', true)], [step('a/known', false)]]), both)
  const passed = [step('a/known', true), step('a/new', false)]
  assert.deepEqual(Object.keys(shrunk(both, [passed, passed])), ['b/unplayed'])
})

test('ledger: topics of which nothing is expected are not played', () => {
  const topic = (name: string): Transcript => ({
    topic: name,
    controllers: false,
    program: 'STRATA_KUBECTL',
    steps: [`${name}/1`, `${name}/2`],
  })
  const known: Ledger = { 'a/1': later, 'b/1': later, 'b/2': later }
  assert.deepEqual(
    promising(['a', 'b', 'c'].map(topic), known).map((each) => each.topic),
    ['a', 'c'],
  )
})

test('ledger: everything left over has an owner and a reason', () => {
  for (const suite of ['recordings', 'transcripts', 'aggregated'] as const) {
    for (const [id, { owner, why }] of Object.entries(readLedger(suite))) {
      assert.match(owner, /^(?:issue \d+|for good)$/, id)
      assert.notEqual(why, '', id)
    }
  }
})
