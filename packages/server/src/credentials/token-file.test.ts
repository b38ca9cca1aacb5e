import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTokenFile } from './token-file.ts'

test('token file: groups may be quoted, blank lines and comments are skipped', () => {
  const users = [...parseTokenFile('# who\nt1,ann,u1,"system:masters,dev"\n\nt2,bob,u2\n', 'f').values()]
  assert.deepEqual(users, [
    { name: 'ann', uid: 'u1', groups: ['system:masters', 'dev'] },
    { name: 'bob', uid: 'u2', groups: [] },
  ])
})

test('token file: a line without a user names the line and the form', () => {
  assert.throws(
    () => parseTokenFile('t1,ann,u1\nt2\n', 'tokens.csv'),
    /tokens\.csv, line 2: expected token,user,uid/,
  )
})
