import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideCompletions } from './decide-completions.ts'

const flag = (names: readonly string[], takesValue = false, values: readonly string[] = []) => ({
  ...{ names, takesValue, values },
})
const resources = { kind: 'resources', isRepeated: true } as const
const verify = {
  names: ['verify'],
  args: [resources],
  flags: [
    flag(['-o', '--output'], true, ['json', 'junit']),
    flag(['--contexts'], true, ['prod', 'stage']),
    flag(['-v', '--verbose']),
  ],
  subcommands: [],
}
const canDrop = {
  ...{ names: ['can-drop'], flags: [], subcommands: [] },
  args: [
    { ...resources, isRepeated: false },
    { kind: 'other', isRepeated: false },
  ],
} as const
const prune = {
  names: ['prune'],
  flags: [],
  subcommands: [],
  args: [{ kind: 'crds', isRepeated: true }],
} as const
const init = { names: ['init'], flags: [flag(['--dry-run'])], subcommands: [] }
const controllers = { names: ['controllers'], flags: [], subcommands: [init] }
const program = {
  names: ['strata'],
  flags: [flag(['--version'])],
  subcommands: [verify, controllers, canDrop, prune],
}

const cases: readonly [line: string, want: readonly string[]][] = [
  ['', ['verify', 'controllers', 'can-drop', 'prune']],
  ['ver', ['verify']],
  ['--v', ['--version']],
  ['verify --', ['--output', '--contexts', '--verbose']],
  ['verify -o ', ['json', 'junit']],
  ['verify -o ju', ['junit']],
  ['verify -v --output j', ['json', 'junit']],
  ['verify --contexts prod,s', ['prod,stage']],
  ['verify --contexts=p', ['--contexts=prod']],
  ['verify -o=j', []],
  ['verify ', []],
  ['controllers ', ['init']],
  ['controllers init --d', ['--dry-run']],
  // The value of a flag is no command.
  ['verify -o init --verb', ['--verbose']],
  ['verify -- --', []],
]
for (const [line, want] of cases) {
  test(`completion of "strata ${line}"`, () =>
    assert.deepEqual(decideCompletions(line.split(' '), program).words, want))
}

const asking: readonly [line: string, asks: string | undefined, given?: Readonly<Record<string, string>>][] =
  [
    ['verify ', 'resources of '],
    ['verify la', 'resources of la'],
    ['verify lamps secr', 'resources of secr'],
    ['verify --contexts prod la', 'resources of la', { '--contexts': 'prod' }],
    ['verify --contexts=prod -o json la', 'resources of la', { '--contexts': 'prod', '--output': 'json' }],
    ['verify --contexts p', undefined],
    ['verify --verb', undefined],
    ['can-drop la', 'resources of la'],
    ['can-drop lamps ', undefined],
    ['prune la', 'crds of la'],
    ['controllers ', undefined],
    ['ver', undefined],
  ]
for (const [line, want, wantGiven = {}] of asking) {
  test(`completion of "strata ${line}" asks the cluster for ${want ?? 'nothing'}`, () => {
    const { asks, given } = decideCompletions(line.split(' '), program)
    assert.equal(asks && `${asks.kind} of ${asks.typed}`, want)
    assert.deepEqual(Object.fromEntries(given), wantGiven)
  })
}
