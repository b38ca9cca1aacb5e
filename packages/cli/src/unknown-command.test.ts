import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandModules } from './command-modules.ts'
import { decideSuggestion, describeUnknownCommand } from './unknown-command.ts'

const names = Object.keys(commandModules)

const cases: readonly [typed: string, want: string | undefined][] = [
  ['stauts', 'status'],
  ['chek', 'check'],
  ['verfy', 'verify'],
  ['cencus', 'census'],
  ['Status', 'status'],
  ['migrat', 'migrate'],
  ['mgirate', 'migrate'],
  ['pruen', 'prune'],
  // Harmless words near to a command that writes.
  ['upgrade', 'check'],
  ['rollback', 'check'],
  ['update', 'check'],
  ['list', 'status'],
  ['migration', undefined],
  ['prepare', undefined],
  ['run', undefined],
  ['serves', 'serve'],
  ['xyz', undefined],
]
for (const [typed, want] of cases) {
  test(`suggestion for ${typed}: ${want}`, () => assert.equal(decideSuggestion(typed, names), want))
}

test('an unknown command is named, with the suggestion; flags and commands are not unknown', () => {
  assert.equal(
    describeUnknownCommand(['upgrade', '--to', 'x'], names),
    'unknown command "upgrade" (did you mean "check"?); --help lists the commands',
  )
  assert.equal(describeUnknownCommand(['xyz'], names), 'unknown command "xyz"; --help lists the commands')
  for (const args of [[], ['--help'], ['help', 'status'], ['status']])
    assert.equal(describeUnknownCommand(args, names), undefined)
})
