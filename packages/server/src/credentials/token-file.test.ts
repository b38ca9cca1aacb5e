import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLog, type World } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createTokenLookup, parseTokenFile, TokenFile } from './token-file.ts'

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

for (const line of [
  't1,ann',
  't1,ann,u1,"dev',
  't1,ann,u1,"dev" x',
  't1,a"nn,u1',
  '"t1,ann,u1',
  ',ann,u1',
  't1,,u1',
]) {
  test(`token file: the line ${line} is refused`, () => {
    assert.throws(() => parseTokenFile(`t0,zoe,u0\n${line}\n`, 'f'), /f, line 2: expected token,user,uid/)
  })
}

test('token file: a quoted field may hold quotes, and a line may end as on Windows', () => {
  const [user] = parseTokenFile('t1,"a ""b"" c",u1,"dev,ops"\r\n', 'f').values()
  assert.deepEqual(user, { name: 'a "b" c', uid: 'u1', groups: ['dev', 'ops'] })
})

test('token file: a token is found as a whole, and only so', () => {
  const lookup = createTokenLookup(parseTokenFile('secret,ann,u1\n', 'f'), new Uint8Array(32))
  const found = ['secret', 'secre', 'secrets', 'Secret', ''].map((token) => lookup(token)?.name)
  assert.deepEqual(found, ['ann', undefined, undefined, undefined, undefined])
})

function createWorld(errors: string[]): World {
  const { clock, random, processes } = new Simulation('tokens').process('server')
  const log = createLog((level, _, { problem }) => {
    if (level === 'error') errors.push(String(problem))
  })
  return { clock, random, processes, log }
}

async function temporaryFile(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-tokens-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'tokens.csv')
}

test('token file: one that is not there is named with its flag', async () => {
  const message = '--token-auth-file /nowhere/tokens.csv: there is no such file'
  await assert.rejects(TokenFile.open('/nowhere/tokens.csv', createWorld([])), {
    name: 'ConfigurationProblem',
    message,
  })
})

test('token file: what changes in it counts when it was read twice, and what cannot be used changes nothing', async (t) => {
  const errors: string[] = []
  const path = await temporaryFile(t)
  await writeFile(path, 't1,ann,u1\nt2,bob,u2\n')
  const file = await TokenFile.open(path, createWorld(errors))
  const users = () => ['t1', 't2', 't3'].map((token) => file.lookup(token)?.name ?? '-').join(' ')
  const after = async (text: string): Promise<string> => {
    const before = users()
    await writeFile(path, text)
    await file.look()
    assert.equal(users(), before, 'it may still be written')
    await file.look()
    return users()
  }
  assert.equal(users(), 'ann bob -')
  assert.equal(await after('t2,bob,u2\nt3,cid,u3\n'), '- bob cid')
  assert.equal(await after('t2\n'), '- bob cid')
  await file.look()
  assert.deepEqual(errors, [`--token-auth-file ${path}, line 1: expected token,user,uid[,"group1,group2"]`])
  assert.equal(await after('t2,bert,u2\n'), '- bert -')
  await rm(path)
  await file.look()
  assert.equal(users(), '- bert -')
  assert.equal(errors.length, 2, 'a missing file is reported')
  assert.equal(await after(''), '- - -')
})
