import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { commandModules, decideNeededCommands } from './command-modules.ts'
import { createCommands } from './program.ts'

describe('command modules', () => {
  const cases: readonly (readonly [args: readonly string[], needed: string[]])[] = [
    [['--version'], []],
    [['-V'], []],
    [['migrate', '--help'], ['migrate']],
    [['migrate', 'prune'], ['migrate']],
    [['--help'], ['migrate', 'prune']],
    [
      ['help', 'migrate'],
      ['migrate', 'prune'],
    ],
    [['migrat'], ['migrate', 'prune']],
    [[], ['migrate', 'prune']],
  ]
  for (const [args, needed] of cases) {
    test(`strata ${args.join(' ')} loads ${needed.join(', ') || 'no command'}`, () => {
      assert.deepEqual(decideNeededCommands(args, ['migrate', 'prune']), needed)
    })
  }

  test('each module adds the command that it is listed under', async () => {
    const context = {
      ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
      ...{ environment: {}, print: () => {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
    }
    const names = Object.keys(commandModules)
    const program = await createCommands(context, () => {})
    assert.deepEqual(
      program.commands.map((command) => command.name()),
      names,
    )
  })
})
