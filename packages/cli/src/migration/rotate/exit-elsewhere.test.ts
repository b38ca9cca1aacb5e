import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExitWord } from '../../output/exit-codes.ts'
import { type EndElsewhere, exitElsewhere } from './exit-elsewhere.ts'

const rows: readonly [string, Partial<EndElsewhere> & Pick<EndElsewhere, 'step'>, ExitWord][] = [
  ['nothing is seen', { step: 'begin', hasFile: false, unseen: ['the file'] }, 'unknown'],
  ['the user names the key', { step: 'begin', unseen: ['what is stored'] }, 'incomplete'],
  ['the user changes the file', { step: 'add' }, 'incomplete'],
  ['a write may still arrive', { step: 'wait' }, 'unknown'],
  ['rewritten, and not looked at again', { step: 'rewrite', migrated: ['observedClean'] }, 'unknown'],
  ['an object refused', { step: 'rewrite', migrated: ['incomplete'] }, 'incomplete'],
  ['blocked by what was not seen', { step: 'blocked', unseen: ['a server'] }, 'unknown'],
  [
    'rewritten, and blocked by what was not seen',
    { step: 'blocked', unseen: ['a'], migrated: ['observedClean'] },
    'unknown',
  ],
  [
    'an object refused, and something was not seen',
    { step: 'blocked', unseen: ['a'], migrated: ['incomplete'] },
    'incomplete',
  ],
  ['blocked by damaged bytes', { step: 'blocked' }, 'incomplete'],
  ['the old key may go', { step: 'drop' }, 'observedClean'],
  ['done', { step: 'done' }, 'observedClean'],
  ['done, as far as one sees', { step: 'done', unseen: ['a server'] }, 'unknown'],
]
for (const [name, end, want] of rows) {
  test(`rotate-keys elsewhere, exit code: ${name}`, () => {
    assert.equal(exitElsewhere({ unseen: [], hasFile: true, migrated: [], ...end }), want)
  })
}
