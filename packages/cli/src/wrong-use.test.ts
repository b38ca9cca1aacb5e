import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeWrongUse } from './wrong-use.ts'

const cases: readonly [said: string, want: string][] = [
  ["error: unknown option '--nonsense'\n", 'unknown option "--nonsense"'],
  ["error: unknown option '--al'\n(Did you mean --all?)\n", 'unknown option "--al" (did you mean --all?)'],
  [
    "error: unknown option '--a'\n(Did you mean one of --as, --all?)\n",
    'unknown option "--a" (did you mean --as, --all?)',
  ],
  [
    "error: required option '--to <release>' not specified\n",
    'required option "--to <release>" not specified',
  ],
  [
    "error: option '--qps <n>' argument '0' is invalid. give a whole number, 1 or more.\n",
    '--qps 0: give a whole number, 1 or more',
  ],
  [
    "error: option '-o, --output <form>' argument 'xml' is invalid. Allowed choices are table, json.\n",
    '--output xml: allowed choices are table, json',
  ],
]
for (const [said, want] of cases) {
  test(`wrong use: ${want}`, () =>
    assert.equal(describeWrongUse(said), `strata: ${want}; --help lists the flags, with examples\n`))
}

/** In the words of a wrong first argument (unknown-command.ts). */
const commands: readonly [said: string, want: string][] = [
  [
    "error: unknown command 'freze'\n(Did you mean freeze?)\n",
    'strata: unknown command "freze" (did you mean "freeze"?); --help lists the commands\n',
  ],
  [
    "error: unknown command 'sh'\n(Did you mean one of show, link?)\n",
    'strata: unknown command "sh" (did you mean "show" or "link"?); --help lists the commands\n',
  ],
  ["error: unknown command 'nope'\n", 'strata: unknown command "nope"; --help lists the commands\n'],
]
for (const [said, want] of commands)
  test(`wrong use: ${want.trim()}`, () => assert.equal(describeWrongUse(said), want))
