import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reinvocation } from './reinvocation.ts'

/** Each is a webhook: `*` has reinvocationPolicy IfNeeded, `!` changes the object on each call. */
const cases: ReadonlyArray<[hooks: string[], again: string[]]> = [
  [['a*', 'b*'], []],
  [['a*!', 'b*'], []],
  [['a*', 'b!'], ['a']],
  [['a', 'b!'], []],
  [['a*', 'b!', 'c*'], ['a']],
  [
    ['a*', 'b*', 'c!'],
    ['a', 'b'],
  ],
  [
    ['a*!', 'b!', 'c*'],
    ['a', 'c'],
  ],
  [['a*', 'b*!'], ['a']],
]

for (const [hooks, expected] of cases) {
  test(`reinvocation: ${hooks.join(' ')}`, () => {
    const state = new Reinvocation()
    const ask = (hook: string): void =>
      state.note(hook.charAt(0), { changed: hook.includes('!'), wantsAgain: hook.includes('*') })
    hooks.forEach(ask)
    const again: string[] = []
    if (state.isNeeded) {
      for (const hook of hooks) {
        if (!state.isWanted(hook.charAt(0))) continue
        again.push(hook.charAt(0))
        ask(hook)
      }
    }
    assert.deepEqual(again, expected)
  })
}
