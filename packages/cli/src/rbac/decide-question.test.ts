import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { Command } from 'commander'
import { createCommands } from '../program.ts'
import { commandRights, withoutRights } from './command-rights.ts'
import { decideQuestion } from './decide-question.ts'

const lamps = { group: 'light.example.dev', resource: 'lamps' }
const cases: readonly (readonly [
  words: string,
  all: boolean,
  want: ReturnType<typeof decideQuestion> | RegExp,
])[] = [
  ['migrate', false, { commands: ['migrate'], resources: [] }],
  ['migrate lamps.light.example.dev', false, { commands: ['migrate'], resources: [lamps] }],
  [
    'crd upgrade verify secrets',
    false,
    { commands: ['crd upgrade', 'verify'], resources: [{ group: '', resource: 'secrets' }] },
  ],
  ['controllers init', false, { commands: ['controllers init'], resources: [] }],
  ['controllers', false, { commands: ['controllers'], resources: [] }],
  ['', false, /^name a command, or use --all; there are status, check, /],
  ['lamps.light.example.dev', false, /^name a command, or use --all/],
  ['migrate', true, /^name commands or use --all, not both$/],
  ['crd check', false, /^strata crd check needs no rights: it reads only files$/],
  ['crd', false, /^"crd" is neither a command nor the full name of a resource/],
  [
    'migrate lamps',
    false,
    /^"lamps" is neither a command nor the full name of a resource, e\.g\. lamps\.light/,
  ],
  ['verfy', false, /\(did you mean "verify"\?\); /],
  ['migrate ct', false, /^"ct" is neither .*; this command asks no cluster, so it knows no short names$/],
  ['controllers lamps.light.example.dev', false, /^strata controllers acts on every resource: leave out/],
]
for (const [words, all, want] of cases) {
  test(`rbac ${words}${all ? ' --all' : ''}`, () => {
    const question = decideQuestion(words === '' ? [] : words.split(' '), all)
    if (want instanceof RegExp) assert.match(String(question), want)
    else assert.deepEqual(question, want)
  })
}

test('rbac --all: every command but the controllers, on one resource', () => {
  const question = decideQuestion(['lamps.light.example.dev'], true)
  assert.ok(typeof question !== 'string')
  assert.deepEqual(question.resources, [lamps])
  assert.ok(question.commands.includes('migrate') && !question.commands.includes('controllers'))
})

test('rbac: every command is in the table of rights, or needs none', async () => {
  const context = {
    ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
    ...{ environment: {}, print: () => {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
  }
  const { commands } = await createCommands(context, () => {})
  const inWords = (each: Command, parent = ''): string[] => {
    const name = `${parent}${each.name()}`
    const below = each.commands.flatMap((one) => inWords(one, `${name} `))
    // A command without flags only holds others.
    return each.options.length === 0 ? below : [name, ...below]
  }
  const known = { ...commandRights, ...withoutRights }
  const group = (each: string): string => each.split(' ')[0] ?? ''
  assert.deepEqual(
    commands
      .flatMap((each) => inWords(each))
      .filter((each) => !(each in known || group(each) in withoutRights)),
    [],
  )
})
