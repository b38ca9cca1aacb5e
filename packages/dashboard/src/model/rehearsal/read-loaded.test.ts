import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf, readLoaded } from './read-loaded.ts'
import { resultOf, stepOf } from './result-for-test.ts'

const result = resultOf([stepOf(1), stepOf(2)])
const [first] = result.steps

test('a loaded rehearsal: what the command prints is shown, by file', () => {
  const printed = { rehearsals: [{ file: 'a.yaml', ...result }, result] }
  assert.deepEqual(readLoaded(JSON.stringify(printed), 'result.json'), {
    kind: 'results',
    results: [
      { name: 'a.yaml', result: { file: 'a.yaml', ...result } },
      { name: 'result.json', result },
    ],
  })
})

test('a loaded rehearsal: one result is one, and fields may be added', () => {
  const { kind } = readLoaded(JSON.stringify({ ...result, seed: 'later' }), 'result.json')
  assert.equal(kind, 'results')
})

const paths = ['server: strata\nsteps: []', '{"steps": []}', 'no rehearsal', '[1]', '{"rehearsals":']
for (const content of paths)
  test(`a loaded rehearsal: whoever plays paths decides about ${JSON.stringify(content)}`, () => {
    assert.deepEqual(readLoaded(content, 'it'), { kind: 'path' })
  })

const wrong: ReadonlyArray<[name: string, value: unknown, field: string, message: RegExp]> = [
  ['nothing was played', { rehearsals: [] }, 'rehearsals', /not an empty one/],
  ['a text as a list', { rehearsals: 'none' }, 'rehearsals', /has to be a list/],
  ['no step', { rehearsals: [{ ...result, steps: [] }] }, 'rehearsals[0].steps', /not an empty one/],
  ['an unknown verdict', { ...result, verdict: 'fine' }, 'verdict', /one of: safe, unsafe/],
  [
    'a step without its text',
    { ...result, steps: [first, { ...stepOf(2), text: undefined }] },
    'steps[1].text',
    /^is missing: it has to be a text/,
  ],
  [
    'a count that is none',
    { ...result, steps: [{ ...first, stored: [{ resource: 'lamps', versions: { v1: 'many' } }] }] },
    'steps[0].stored[0].versions.v1',
    /whole number/,
  ],
  ['another kind of server', { ...result, server: 'k3s' }, 'server', /one of: strata, kube-apiserver/],
]
for (const [name, value, field, message] of wrong)
  test(`a loaded rehearsal: ${name} is named by its field`, () => {
    const loaded = readLoaded(JSON.stringify(value), 'it')
    assert.ok(loaded.kind === 'wrong')
    assert.equal(loaded.problems[0]?.field, field)
    assert.match(loaded.problems[0]?.message ?? '', message)
  })

test('a loaded rehearsal: an empty file is said to be empty', () => {
  const loaded = readLoaded(' \n', 'it')
  assert.ok(loaded.kind === 'wrong')
  assert.match(loaded.problems[0]?.message ?? '', /^it is empty: load /)
})

const refusals: ReadonlyArray<[line: string, field: string, message: string]> = [
  ['rehearsal:12: steps[2].late: is 9', 'line 12, steps[2].late', 'is 9'],
  [
    'rehearsal:3: crds.v1.0: has to be a file: or a folder',
    'line 3, crds.v1.0',
    'has to be a file: or a folder',
  ],
  ['rehearsal:1: has to be a mapping with "steps"', 'line 1', 'has to be a mapping with "steps"'],
  ['rehearsal: cannot read it as YAML: a tab', '', 'rehearsal: cannot read it as YAML: a tab'],
  ['the body is too large', '', 'the body is too large'],
]
test('a loaded rehearsal: a refusal has a problem in each line', () => {
  assert.deepEqual(
    problemsOf(refusals.map(([line]) => line).join('\n')),
    refusals.map(([, field, message]) => ({ field, message })),
  )
})
