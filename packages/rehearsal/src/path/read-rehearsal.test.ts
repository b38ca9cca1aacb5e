import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRehearsals, goodRehearsal } from './bad-rehearsals-for-test.ts'
import { readRehearsal } from './read-rehearsal.ts'

test('a rehearsal is read with its defaults', () => {
  assert.deepEqual(readRehearsal(goodRehearsal), {
    form: {
      ...{ server: 'strata', servers: 3, coordination: 'report', interleavings: 12, resources: [] },
      crds: { 'v1.0': ['old'], 'v1.1': ['new', 'more'] },
      conversions: undefined,
      steps: [
        { deed: { do: 'release', to: 'v1.0', late: [] }, objects: 3, expect: undefined },
        { deed: { do: 'upgrade', to: 'v1.1', late: [2] }, objects: undefined, expect: undefined },
      ],
    },
  })
})

for (const [name, value, field, message] of badRehearsals) {
  test(`a rehearsal is refused: ${name}`, () => {
    const read = readRehearsal(value)
    assert.ok('problems' in read)
    const [first] = read.problems
    assert.equal(first?.field, field)
    assert.match(first?.message ?? '', message)
  })
}
