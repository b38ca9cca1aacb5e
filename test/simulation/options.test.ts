import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, UsageError, usage } from './options.ts'

test('simulation options: without any, a hundred seeds from the first', () => {
  const { seeds, sabotages, cuts, troubleMs } = parseOptions([])
  assert.deepEqual([seeds.length, seeds[0], sabotages, cuts, troubleMs], [100, '1', [], undefined, undefined])
})

for (const args of [
  ['--seeds', '0'],
  ['--seeds', 'x'],
  ['--seed', '-1'],
  ['--minutes', 'x'],
  ['--sabotage', 'rain'],
  ['--cut', 'rain'],
  ['--nothing'],
]) {
  test(`simulation options: ${args.join(' ')} is refused in one line`, () => {
    assert.throws(
      () => parseOptions(args),
      (error) => error instanceof UsageError && !error.message.includes('\n'),
    )
  })
}

test('simulation options: the examples in the help are understood', () => {
  const examples = [...usage.matchAll(/\$ npm run sim -- (.*)/g)].map(([, args = '']) => args.split(' '))
  assert.ok(examples.length > 0)
  for (const args of examples) parseOptions(args)
})
