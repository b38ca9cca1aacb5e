import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideKey, moveInGrid, type PressedKey } from './keyboard.ts'

const pressed: PressedKey = { key: '/', hasModifier: false, isTyping: false, awaitsView: false }
const cases: ReadonlyArray<[name: string, key: Partial<PressedKey>, want: string | undefined]> = [
  ['/ goes to the filter', {}, 'filter'],
  ['? shows help', { key: '?' }, 'help'],
  ['g waits for a letter', { key: 'g' }, 'await-view'],
  ['a letter after g is a view', { key: 's', awaitsView: true }, 'view'],
  ['a letter alone is nothing', { key: 's' }, undefined],
  ['Esc leaves', { key: 'Escape' }, 'leave'],
  ['Esc leaves a field too', { key: 'Escape', isTyping: true }, 'leave'],
  ['in a field, letters are text', { key: '?', isTyping: true }, undefined],
  ['commands of the browser stay its own', { key: '/', hasModifier: true }, undefined],
]
for (const [name, key, want] of cases)
  test(`keys: ${name}`, () => assert.equal(decideKey({ ...pressed, ...key })?.do, want))

const moves: ReadonlyArray<
  [key: string, from: readonly [number, number], want: readonly [number, number] | undefined]
> = [
  ['ArrowDown', [0, 0], [1, 0]],
  ['ArrowDown', [4, 2], [4, 2]],
  ['ArrowUp', [0, 1], [0, 1]],
  ['ArrowRight', [1, 2], [1, 2]],
  ['ArrowLeft', [1, 2], [1, 1]],
  ['Home', [3, 2], [3, 0]],
  ['End', [3, 0], [3, 2]],
  ['PageDown', [0, 0], [4, 0]],
  ['a', [0, 0], undefined],
]
for (const [key, from, want] of moves)
  test(`grid: ${key} at ${from}`, () => assert.deepEqual(moveInGrid(key, from, [5, 3]), want))
