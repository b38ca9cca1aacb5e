import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../field-error.ts'
import { fieldManagerErrors, fieldManagerName } from './field-manager-name.ts'

const names: ReadonlyArray<
  [name: string, given: string | undefined, userAgent: string | undefined, want: string]
> = [
  ['the given name wins', 'mine', 'kubectl/v1.36', 'mine'],
  ['else the program', undefined, 'kubectl/v1.36 (linux/amd64)', 'kubectl'],
  ['an empty name is none', '', 'kubectl/v1.36', 'kubectl'],
  ['without a version', undefined, 'my agent', 'my agent'],
  ['unprintable characters are left out', undefined, 'a\tb\u0000c/1', 'abc'],
  ['it is cut at 128 bytes', undefined, 'é'.repeat(100), 'é'.repeat(64)],
  ['neither name is given', undefined, undefined, 'unknown'],
]
for (const [name, given, userAgent, want] of names) {
  test(`field manager: ${name}`, () => assert.equal(fieldManagerName(given, userAgent), want))
}

const errors: ReadonlyArray<[name: string, want: readonly string[]]> = [
  ['kubectl-client-side-apply', []],
  ['ключ', []],
  ['x'.repeat(129), ['fieldManager: Too long: may not be more than 128 bytes']],
  ['é\u0007', ['fieldManager: Invalid value: "é\\u0007": invalid character U+0007 (at position 2)']],
]
for (const [name, want] of errors) {
  test(`field manager: errors of ${JSON.stringify(name).slice(0, 30)}`, () => {
    assert.deepEqual(fieldManagerErrors(name).map(fieldErrorText), want)
  })
}
