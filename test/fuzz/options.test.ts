import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOptions, UsageError, usage } from './options.ts'
import { loadTargets } from './targets.ts'

const targets = await loadTargets()

const cases: ReadonlyArray<readonly [args: string, problem: RegExp]> = [
  ['--inputs 0', /^--inputs 0: give a whole number, 1 or more$/],
  ['--inputs x', /^--inputs takes a whole number, not x$/],
  ['--inputs -1', /'--inputs'/],
  ['--seed -1', /'--seed'/],
  ['--target rain', /^no target rain/],
  ['--from 1', /^--from 1: give a multiple of 1000$/],
  ['--only-input 1', /need one --target$/],
  ['-o paper', /^-o paper/],
]
for (const [args, problem] of cases) {
  test(`fuzz options: ${args} is refused in one line`, () => {
    assert.throws(
      () => parseOptions(args.split(' '), targets),
      (error) => error instanceof UsageError && problem.test(error.message) && !error.message.includes('\n'),
    )
  })
}

test('fuzz options: help lists every target beside what it does', () => {
  const lines = usage(targets).split('\n')
  for (const { name, about } of targets)
    assert.ok(
      lines.some((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${about}`)),
      name,
    )
})
