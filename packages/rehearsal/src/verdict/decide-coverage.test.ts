import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerState } from '../result/rehearsal-result.ts'
import { describeNotAsked, isUntested, type KindCoverage } from './decide-coverage.ts'

const kind: KindCoverage = {
  ...{ isKnown: { before: true, after: true }, objects: 0, isBornLater: false, isExplained: false },
}
const rows: ReadonlyArray<[name: string, of: Partial<KindCoverage>, isUntested: boolean]> = [
  ['a kind without objects', {}, true],
  ['a kind with an object', { objects: 1 }, false],
  ['objects that come too late for this step', { isBornLater: true }, true],
  ['a kind that no release has yet', { isKnown: { before: false, after: false } }, false],
  [
    'a new kind whose objects come later',
    { isKnown: { before: false, after: true }, isBornLater: true },
    false,
  ],
  ['a new kind that never has an object', { isKnown: { before: false, after: true } }, true],
  ['a kind that the release has not any more', { isKnown: { before: true, after: false } }, true],
  ['a kind of which no object could be made up', { isExplained: true }, false],
]
for (const [name, of, wanted] of rows) {
  test(`coverage: ${name} is ${wanted ? '' : 'not '}untested`, () => {
    assert.equal(isUntested({ ...kind, ...of }), wanted)
  })
}

const servers: ReadonlyArray<[states: readonly ServerState['state'][], message: string | undefined]> = [
  [['up', 'up'], undefined],
  [
    ['up', 'frozen', 'late'],
    'no object was read through server 2, which is frozen, or server 3, which is late',
  ],
  [['down', 'up'], 'no object was read through server 1, which is down'],
  // The verdict says more: could not see.
  [['down', 'down'], undefined],
]
for (const [states, message] of servers) {
  test(`coverage: servers that are ${states.join(', ')}`, () => {
    const seen = describeNotAsked(states.map((state, at) => ({ server: at + 1, state, release: '' })))
    assert.equal(seen?.message, message)
  })
}
