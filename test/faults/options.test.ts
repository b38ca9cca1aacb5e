import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitCodeOf } from './figures.ts'
import { faultKinds } from './kinds/all.ts'
import { parseOptions, UsageError, usage } from './options.ts'

const parse = (...args: string[]) => parseOptions(args, () => 'new')

test('fault options: without any, both stores, every kind, and a new seed', () => {
  const { seed, stores, only, minutes, rounds } = parse()
  assert.deepEqual([seed, stores, minutes, rounds], ['new', ['sqlite', 'etcd'], 2, undefined])
  assert.equal(only.length, faultKinds.length)
})

test('fault options: what a failure prints is understood', () => {
  const { seed, stores, from, rounds, only } = parse(
    ...['--store', 'etcd', '--seed', '12', '--from', '3', '--rounds', '1', '--only', 'kill,restore'],
  )
  assert.deepEqual([seed, stores, from, rounds], ['12', ['etcd'], 3, 1])
  assert.deepEqual(
    only.map(({ name }) => name),
    ['kill', 'restore'],
  )
})

for (const args of [
  ['--only', 'rain'],
  ['--store', 'paper'],
  ['--minutes', '0'],
  ['--from', 'x'],
  ['--nothing'],
]) {
  test(`fault options: ${args.join(' ')} is refused`, () => {
    assert.throws(() => parse(...args), UsageError)
  })
}

test('fault options: help names every kind', () => {
  for (const { name } of faultKinds) assert.match(usage, new RegExp(`^ +${name} `, 'm'))
})

for (const [name, problems, undecidedKeys, code] of [
  ['nothing was lost', [], 0, 0],
  ['something was lost', ['a write'], 0, 1],
  ['something was lost, and a key was not decided', ['a write'], 2, 1],
  ['a key was not decided', [], 1, 3],
] as const) {
  test(`faults: the exit code is ${code} when ${name}`, () => {
    assert.equal(exitCodeOf({ problems: [...problems], undecidedKeys }), code)
  })
}
