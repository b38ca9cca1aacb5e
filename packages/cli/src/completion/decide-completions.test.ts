import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideCompletions } from './decide-completions.ts'

const flag = (names: readonly string[], takesValue = false, values: readonly string[] = []) => ({
  ...{ names, takesValue, values },
})
const verify = {
  names: ['verify'],
  flags: [
    flag(['-o', '--output'], true, ['json', 'junit']),
    flag(['--contexts'], true, ['prod', 'stage']),
    flag(['-v', '--verbose']),
  ],
  subcommands: [],
}
const init = { names: ['init'], flags: [flag(['--dry-run'])], subcommands: [] }
const controllers = { names: ['controllers'], flags: [], subcommands: [init] }
const program = { names: ['strata'], flags: [flag(['--version'])], subcommands: [verify, controllers] }

const cases: readonly [line: string, want: readonly string[]][] = [
  ['', ['verify', 'controllers']],
  ['ver', ['verify']],
  ['--v', ['--version']],
  ['verify --', ['--output', '--contexts', '--verbose']],
  ['verify -o ', ['json', 'junit']],
  ['verify -o ju', ['junit']],
  ['verify -v --output j', ['json', 'junit']],
  ['verify --contexts prod,s', ['prod,stage']],
  ['verify ', []],
  ['controllers ', ['init']],
  ['controllers init --d', ['--dry-run']],
  // The value of a flag is no command.
  ['verify -o init --verb', ['--verbose']],
  ['verify -- --', []],
]
for (const [line, want] of cases) {
  test(`completion of "strata ${line}"`, () =>
    assert.deepEqual(decideCompletions(line.split(' '), program), want))
}
