import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTokens, parseTokenFile } from './token-file.ts'

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

test('token file: one that is not there is named with its flag', async () => {
  const message = '--token-auth-file /nowhere/tokens.csv: there is no such file'
  await assert.rejects(loadTokens('/nowhere/tokens.csv'), { name: 'ConfigurationProblem', message })
})
