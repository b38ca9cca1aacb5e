import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createSmallDisk } from '../../../../../test/support/small-disk.ts'
import { Claims, type CommitClaim } from '../contract/claims.ts'
import type { WriteFault } from '../errors.ts'
import { FileFaults, type Strike, strike } from './failing-database-for-test.ts'
import { startFailingWriter } from './failing-writer-for-test.ts'
import { type Actor, nextLine, start, temporaryPath, withStore } from './open-for-test.ts'

// Every error that the adapter calls certain ("nothing was written") is compared with the file afterwards. A locked file and
// withdrawn commits are in processes.slow.test.ts.

const { signal } = new AbortController()

/** Records the outcomes that the actor received, until `enough`. */
async function listen(actor: Actor, claims: Claims, enough: () => boolean): Promise<void> {
  while (!enough()) take(claims, await nextLine(actor))
}

function take(claims: Claims, line: string): void {
  const [key, claim] = JSON.parse(line) as [string, CommitClaim]
  claims.record(key, claim)
}

const failures = (claims: Claims): number => claims.count('unknown') + claims.count('nothing-written')

test('sqlite claims: the disk is full, and has space again', async (t) => {
  const disk = await createSmallDisk(t, 8 << 20)
  const path = join(disk.directory, 'store.db')
  const actor = start(t, 'claim', path, '/full/')
  const { pid } = actor.process
  assert.ok(pid)
  const claims = new Claims('/full/')
  await listen(actor, claims, () => claims.count('committed') >= 50)
  await disk.fill(pid)
  await listen(actor, claims, () => failures(claims) >= 20)
  await disk.free(pid)
  const before = claims.count('committed')
  await listen(actor, claims, () => claims.count('committed') >= before + 50)
  actor.process.kill('SIGKILL')
  for (let line = await actor.lines.next(); !line.done; line = await actor.lines.next())
    take(claims, line.value)
  await actor.gone
  await withStore(path, {}, (store) => claims.check(store, signal))
  const faults = new Set(
    [...claims.all('unknown'), ...claims.all('nothing-written')].map(({ fault }) => fault),
  )
  const possible: (WriteFault | undefined)[] = ['out-of-space', 'io-error']
  for (const fault of faults) assert.ok(possible.includes(fault), `a full disk was taken for ${fault}`)
  checkIntegrity(path)
})

test('sqlite claims: a store that may not grow has written nothing, and says so', async (t) => {
  const path = temporaryPath(t)
  const claims = new Claims('/limit/')
  const value = new Uint8Array(50_000)
  await withStore(path, { maxBytes: 2 << 20 }, async (store) => {
    while (failures(claims) < 20) {
      await Promise.all(Array.from({ length: 4 }, () => claims.create(store, signal, value)))
    }
    await claims.check(store, signal)
  })
  const [refused] = claims.all('nothing-written')
  assert.equal(refused?.fault, 'out-of-space')
  assert.match(refused?.message ?? '', /free space/)
  await withStore(path, {}, (store) => claims.check(store, signal))
})

const strikes: ReadonlyArray<
  [what: string, strike: Strike, outcome: CommitClaim['outcome'], isStored: boolean]
> = [
  ['taking the lock', strike.begin, 'nothing-written', false],
  ['writing the transaction', strike.write, 'nothing-written', false],
  ['the COMMIT, which is not in the file', strike.commitLost, 'unknown', false],
  ['the COMMIT, which is in the file', strike.commitKept, 'unknown', true],
]
for (const [what, where, claim, isStored] of strikes) {
  test(`sqlite claims: an I/O error at ${what}, leaves the outcome ${claim}`, async (t) => {
    const path = temporaryPath(t)
    const faults = new FileFaults()
    const claims = new Claims('/io/')
    await withStore(path, { startWriter: startFailingWriter(faults) }, async (store) => {
      await claims.create(store, signal)
      faults.next(where)
      const answer = await claims.create(store, signal)
      assert.deepEqual([answer.outcome, answer.fault, faults.struck], [claim, 'io-error', 1])
      // It recovers by itself.
      assert.equal((await claims.create(store, signal)).outcome, 'committed')
    })
    await withStore(path, {}, async (store) => {
      await claims.check(store, signal)
      assert.equal((await store.list({ prefix: '/io/' }, signal)).entries.length, isStored ? 3 : 2)
    })
    checkIntegrity(path)
  })
}

test('sqlite claims: kill -9 under load', async (t) => {
  const path = temporaryPath(t)
  for (let round = 0; round < 3; round++) {
    const claims = new Claims(`/kill-${round}/`)
    const actor = start(t, 'claim', path, `/kill-${round}/`)
    await listen(actor, claims, () => claims.count('committed') >= 100)
    actor.process.kill('SIGKILL')
    for (let line = await actor.lines.next(); !line.done; line = await actor.lines.next())
      take(claims, line.value)
    await actor.gone
    await withStore(path, {}, (store) => claims.check(store, signal))
  }
  checkIntegrity(path)
})

function checkIntegrity(path: string): void {
  const database = new DatabaseSync(path)
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
}
