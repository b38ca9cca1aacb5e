import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { collect } from './duration.ts'
import { inheritedFlags } from './inherited-flags.ts'

const rows: readonly [line: string, want: object][] = [
  ['below', { context: [], dryRun: false }],
  ['below --context a --dry-run', { context: ['a'], dryRun: true }],
  ['--context a below', { context: ['a'], dryRun: false }],
  ['--context a below --context b', { context: ['b'], dryRun: false }],
  // What only the parent has is not for the subcommand.
  ['--period 5 below', { context: [], dryRun: false }],
]
for (const [line, want] of rows) {
  test(`flags of a subcommand: above ${line}`, () => {
    let flags: object | undefined
    const above = new Command('above').option('--context <name>', '', collect, []).option('--period <n>')
    above
      .enablePositionalOptions()
      .command('below')
      .option('--context <name>', '', collect, [])
      .option('--dry-run', '', false)
      .action((_, command: Command) => {
        flags = inheritedFlags(command)
      })
    above.parse(line.split(' '), { from: 'user' })
    assert.deepEqual(flags, want)
  })
}
