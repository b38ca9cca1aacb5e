import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsalResult, StepResult } from '@strata/rehearsal'
import { checkForms } from '../output/report-forms-for-test.ts'
import { exitOfRehearsals, reportRehearsals } from './report-rehearsals.ts'

const lamps = 'lamps.light.example.dev'
const step = (changed: Partial<StepResult>): StepResult => ({
  ...{ step: 1, text: 'release v1.0', verdict: 'safe', expected: 'safe', passed: true, reasons: [] },
  ...{
    fromMs: 0,
    toMs: 100,
    servers: [],
    stored: [{ resource: lamps, versions: { 'light.example.dev/v1': 3 } }],
  },
  ...changed,
})
const unsafe = step({
  ...{ step: 2, text: 'upgrade v1.1', verdict: 'unsafe', passed: false },
  reasons: [
    { level: 'unsafe', rule: 'unreadable', message: 'server 1 cannot read <lamps>', fix: 'migrate first' },
    { level: 'note', rule: 'migrated', message: 'it is migrated' },
  ],
})
const unseen = step({
  ...{ verdict: 'could not see', passed: false },
  reasons: [{ level: 'could not see', rule: 'no-converter', message: 'a webhook converts' }],
})
const expected = step({ ...unsafe, expected: 'unsafe', passed: true })

function played(steps: readonly StepResult[], changed: Partial<RehearsalResult> = {}) {
  const result: RehearsalResult = {
    ...{
      world: 'simulated',
      server: 'strata',
      servers: 3,
      verdict: steps.at(-1)?.verdict ?? 'safe',
      events: [],
      steps,
    },
    passed: steps.every((each) => each.passed),
    interleavings: { searched: 2, possible: 9, lateWrites: { stored: 0, refused: 2 } },
    ...changed,
  }
  return { file: 'path.yaml', lines: [4, 6], result }
}

const exits: ReadonlyArray<[name: string, steps: readonly StepResult[], code: number]> = [
  ['safe', [step({})], 0],
  ['unsafe, and that is expected', [step({}), expected], 0],
  ['unsafe', [step({}), unsafe], 1],
  ['could not see', [unseen], 6],
  ['could not see, and unsafe', [unseen, unsafe], 1],
  ['safe, and something else is expected', [step({ expected: 'refused', passed: false })], 1],
]
for (const [name, steps, code] of exits) {
  test(`rehearse: the exit code of ${name} is ${code}`, () => {
    assert.equal(exitOfRehearsals([played(steps)]), code)
  })
}

test('rehearse: every form of output is valid, and names the kind of server', () => {
  const { table, markdown, junit, sarif } = checkForms(reportRehearsals([played([step({}), unsafe])]))
  for (const form of [table, markdown]) {
    assert.match(form, /server: strata/)
    assert.match(form, /Next: migrate first/)
    assert.match(form, /UNSAFE on Strata: step 2 \(upgrade v1\.1\)\./)
  }
  assert.match(table, /2 of 9 interleavings.*the fence refused 2, and 0 were stored/)
  assert.match(junit, /<testcase name="1\. release v1\.0"[^>]*\/>/)
  assert.match(
    junit,
    /<failure message="unsafe, server: strata: server 1 cannot read &lt;lamps&gt;" type="unreadable">path\.yaml:6: /,
  )
  assert.match(sarif, /"startLine": 6/)
})

test('rehearse: a step that could not be seen is an error in JUnit, and never passes', () => {
  const { junit } = checkForms(reportRehearsals([played([unseen], { server: 'kube-apiserver' })]))
  assert.match(junit, /errors="1"/)
  assert.match(junit, /server: kube-apiserver: a webhook converts/)
})

test('rehearse: a story is printed in order', () => {
  const story = ['1. Server 1 stops.', '2. Server 1 goes on.']
  const found = { step: 2, verdict: 'unsafe', reasons: unsafe.reasons, story, events: [] } as const
  const search = { searched: 2, possible: 9, lateWrites: { stored: 1, refused: 0 }, found }
  const { table, junit } = checkForms(
    reportRehearsals([played([step({}), unsafe], { server: 'kube-apiserver', interleavings: search })]),
  )
  assert.match(table, /How step 2 becomes unsafe.*\n {2}1\. Server 1 stops\.\n {2}2\. Server 1 goes on\./)
  assert.match(table, /the store refused 0, and 1 were stored/)
  assert.match(junit, /1\. Server 1 stops\./)
})
