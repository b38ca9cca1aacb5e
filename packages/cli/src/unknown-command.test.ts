import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandModules } from './command-modules.ts'
import { decideSuggestion, describeUnknownCommand } from './unknown-command.ts'

const names = Object.keys(commandModules)

const cases: readonly [typed: string, ...want: readonly string[]][] = [
  ['stauts', 'status'],
  ['chek', 'check'],
  ['verfy', 'verify'],
  ['cencus', 'census'],
  ['Status', 'status'],
  ['migrat', 'migrate'],
  ['mgirate', 'migrate'],
  ['pruen', 'prune'],
  // Harmless words near to a command that writes.
  ['upgrade', 'check', 'crd upgrade', 'roll'],
  ['rollback', 'check', 'crd upgrade --back', 'roll'],
  ['update', 'check', 'crd upgrade', 'roll'],
  ['list', 'status'],
  ['migration'],
  ['prepare'],
  ['run'],
  ['serves', 'serve'],
  ['xyz'],
]
for (const [typed, ...want] of cases) {
  test(`suggestion for ${typed}: ${want.join(', ') || 'none'}`, () =>
    assert.deepEqual(decideSuggestion(typed, names), want))
}

test('an unknown command is named, with the suggestion; flags and commands are not unknown', () => {
  assert.equal(
    describeUnknownCommand(['upgrade', '--to', 'x'], names),
    'unknown command "upgrade" (did you mean "check", "crd upgrade" or "roll"?); --help lists the commands',
  )
  assert.equal(describeUnknownCommand(['xyz'], names), 'unknown command "xyz"; --help lists the commands')
  for (const args of [[], ['--help'], ['help', 'status'], ['status']])
    assert.equal(describeUnknownCommand(args, names), undefined)
})
