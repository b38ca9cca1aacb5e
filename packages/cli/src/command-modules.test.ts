import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { Command } from 'commander'
import { commandModules, decideNeededCommands } from './command-modules.ts'
import { outputForms } from './output/print-report.ts'
import { createCommands } from './program.ts'

const context = {
  ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
  ...{ environment: {}, print: () => {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
}

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
    const names = Object.keys(commandModules)
    const program = await createCommands(context, () => {})
    assert.deepEqual(
      program.commands.map((command) => command.name()),
      names,
    )
  })
})

describe('forms of output', () => {
  const forms = outputForms.join()
  /** Commands whose output is no report about what they found. */
  const others: Readonly<Record<string, string>> = {
    'strata rbac': 'yaml,json',
    // Annotations of files, for pull requests.
    'strata crd check': `${forms},github,gitlab`,
  }

  test('every command that reports has all of them', async () => {
    const withForms = (command: Command, parent = ''): [name: string, choices: string][] => {
      const name = `${parent}${command.name()}`
      const choices = command.options.find(({ long }) => long === '--output')?.argChoices?.join()
      const below = command.commands.flatMap((each) => withForms(each, `${name} `))
      return choices === undefined ? below : [[name, choices], ...below]
    }
    const found = withForms(await createCommands(context, () => {}))
    assert.ok(found.length > 10)
    for (const [name, choices] of found) assert.equal(choices, others[name] ?? forms, name)
  })
})
