import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAction } from './read-action.ts'

const good: readonly object[] = [
  { action: 'roll', to: 'x+2' },
  { action: 'roll', to: 'x+2', oneByOne: true },
  { action: 'roll', to: 'x+3', skipReleases: true },
  { action: 'resume', oneByOne: true },
  { action: 'pause' },
  { action: 'freeze', server: 'strata-1' },
  { action: 'load', writesPerSecond: 0 },
  { action: 'switch-storage-version', crd: 'lamps.light.example.dev', version: 'v2' },
]
for (const action of good) {
  test(`action: ${JSON.stringify(action)} is taken`, () => assert.deepEqual(readAction(action), action))
}

const bad: ReadonlyArray<[body: unknown, says: RegExp]> = [
  [undefined, /not a JSON object/],
  [[], /not a JSON object/],
  [{}, /"action" is undefined, and has to be one of roll, pause/],
  [{ action: 'toString' }, /"action" is "toString"/],
  [{ action: 'roll' }, /roll: "to" has to be a text/],
  [{ action: 'roll', to: '' }, /roll: "to" has to be a text/],
  [{ action: 'roll', to: 'x+2', oneByOne: 'yes' }, /"oneByOne" has to be true or false/],
  [{ action: 'load', writesPerSecond: -1 }, /has to be a whole number/],
  [{ action: 'load', writesPerSecond: 1.5 }, /has to be a whole number/],
  [{ action: 'pause', server: 'a' }, /pause has no field "server"/],
]
for (const [body, says] of bad) {
  test(`action: ${JSON.stringify(body)} is refused`, () => {
    const answer = readAction(body)
    assert.match('problem' in answer ? answer.problem : '', says)
  })
}
