import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { until } from '../../../../../test/support/until.ts'
import { Claims, type CommitClaim } from '../contract/claims.ts'
import { put } from '../contract/harness.ts'
import { RevisionCompacted, StoreLost, StoreUnavailable } from '../errors.ts'
import { readMark } from './mark/store-mark.ts'
import { type Actor, nextLine, openAt, start, temporaryPath, withStore } from './open-for-test.ts'

// Removes parts of a store that no process has open, and checks that the next start notices.

const { signal } = new AbortController()

interface Killed {
  readonly path: string
  readonly markPath: string
  readonly claims: Claims
}

function take(claims: Claims, line: string): void {
  const [key, claim] = JSON.parse(line) as [string, CommitClaim]
  claims.record(key, claim)
}

const highest = (claims: Claims): number =>
  Math.max(...claims.all('committed').map(({ revision = 0 }) => revision))

async function kill({ process, lines, gone }: Actor, claims: Claims): Promise<void> {
  process.kill('SIGKILL')
  for (let line = await lines.next(); !line.done; line = await lines.next()) take(claims, line.value)
  await gone
}

/** A store whose last process was killed, with commits in the write-ahead log that the mark knows of. */
async function killedStore(t: TestContext): Promise<Killed> {
  const path = temporaryPath(t)
  const markPath = `${path}.mark`
  const claims = new Claims('/claim/')
  // So that not everything is in the write-ahead log.
  await withStore(path, { markPath }, (store) => put(store, '/first', 'x', signal))
  const actor = start(t, 'claim', path, '/claim/', markPath)
  while (claims.count('committed') < 50) take(claims, await nextLine(actor))
  const known = highest(claims)
  await until('the mark has come that far', () => (readMark(markPath)?.revision ?? 0) >= known)
  await kill(actor, claims)
  const mark = readMark(markPath)
  assert.ok(mark && mark.revision <= highest(claims) + 4, 'the mark is ahead of what was acknowledged')
  return { path, markPath, claims }
}

const opens = ({ path, markPath, claims }: Killed): Promise<void> =>
  withStore(path, { markPath }, (store) => claims.check(store, signal))

async function isRefused({ path, markPath }: Killed, says: RegExp): Promise<void> {
  const before = readFileSync(markPath, 'utf8')
  // Also the second time: the first one has made nothing that looks like a store.
  for (let time = 0; time < 2; time++) {
    await assert.rejects(openAt(path, { markPath }), (error) => {
      assert.ok(error instanceof StoreLost, String(error))
      assert.match(error.message, says)
      assert.ok(error.message.includes(`remove ${markPath}`), error.message)
      return true
    })
  }
  assert.equal(readFileSync(markPath, 'utf8'), before)
}

test('sqlite loss: after kill -9 the store opens, with all that was acknowledged', async (t) => {
  await opens(await killedStore(t))
})

test('sqlite loss: after a clean end there is no write-ahead log, and the store opens', async (t) => {
  const killed = await killedStore(t)
  await opens(killed)
  assert.ok(!existsSync(`${killed.path}-wal`))
  await opens(killed)
})

test('sqlite loss: a store without its write-ahead log is refused, until the mark is removed', async (t) => {
  const killed = await killedStore(t)
  const { path, markPath } = killed
  assert.ok(statSync(`${path}-wal`).size > 0)
  rmSync(`${path}-wal`)
  await isRefused(killed, /ends at revision \d+, although revision \d+ was on the disk/)
  rmSync(markPath)
  await withStore(path, { markPath }, (store) => put(store, '/on', 'it goes', signal))
  assert.ok(readMark(markPath))
  await withStore(path, { markPath }, async () => {})
})

test('sqlite loss: a write-ahead log that is damaged at its beginning is noticed', async (t) => {
  const killed = await killedStore(t)
  const log = readFileSync(`${killed.path}-wal`)
  log.fill(0xff, 200, 300)
  writeFileSync(`${killed.path}-wal`, log)
  await isRefused(killed, /write-ahead log is missing or damaged/)
  assert.deepEqual(readFileSync(`${killed.path}-wal`), log, 'what could be saved of the log is gone')
})

test('sqlite loss: an emptied directory is refused', async (t) => {
  const killed = await killedStore(t)
  for (const end of ['', '-wal', '-shm']) rmSync(`${killed.path}${end}`, { force: true })
  rmSync(`${killed.path}.hosts`, { recursive: true, force: true })
  await isRefused(killed, /there is no store, although/)
  assert.ok(!existsSync(killed.path) && !existsSync(`${killed.path}.hosts`), 'a refusal makes nothing')
})

test('sqlite loss: an older copy of the store is refused, and so is another store', async (t) => {
  const path = temporaryPath(t)
  const markPath = `${path}.mark`
  const killed = { path, markPath, claims: new Claims('/claim/') }
  await withStore(path, { markPath }, (store) => killed.claims.create(store, signal))
  const copy = readFileSync(path)
  await withStore(path, { markPath }, (store) => killed.claims.create(store, signal))
  const newest = readFileSync(path)
  writeFileSync(path, copy)
  await isRefused(killed, /replaced by an older copy/)
  writeFileSync(path, newest)
  await opens(killed)
  const other = temporaryPath(t)
  await withStore(other, { markPath: `${other}.mark` }, async (store) => {
    for (let index = 0; index < 10; index++) await put(store, `/${index}`, 'x', signal)
  })
  writeFileSync(path, readFileSync(other))
  await isRefused(killed, /it is another store/)
})

test('sqlite loss: several processes mark one store, and any of them may be killed', async (t) => {
  const path = temporaryPath(t)
  const markPath = `${path}.mark`
  const all = ['/a/', '/b/', '/c/'].map((prefix) => ({
    claims: new Claims(prefix),
    actor: start(t, 'claim', path, prefix, markPath),
  }))
  for (const { claims, actor } of all) {
    while (claims.count('committed') < 30) take(claims, await nextLine(actor))
  }
  for (const { claims, actor } of all) {
    await kill(actor, claims)
    // While the others go on.
    await withStore(path, { markPath }, (store) => claims.check(store, signal))
  }
  await withStore(path, { markPath }, async (store) => {
    for (const { claims } of all) await claims.check(store, signal)
  })
})

test('sqlite loss: a store of an earlier release gets an id, and is marked from then on', async (t) => {
  const path = temporaryPath(t)
  const markPath = `${path}.mark`
  const revision = await withStore(path, {}, (store) => put(store, '/key', 'value', signal))
  const idOf = (): unknown => {
    const database = new DatabaseSync(path, { readOnly: true })
    const { number } = database.prepare(`SELECT number FROM meta WHERE name = 'store'`).get() ?? {}
    database.close()
    return number
  }
  assert.equal(idOf(), undefined)
  await withStore(path, { markPath }, async () => {})
  const mark = readMark(markPath)
  assert.ok(mark && mark.store === idOf())
  assert.equal(mark.revision, revision)
  // An earlier release, which knows of no mark, goes on beside it and after it.
  await withStore(path, {}, (store) => put(store, '/key', 'newer', signal))
  await withStore(path, { markPath }, async () => {})
})

/** The documented steps after a crash, with a backup from before it, except that the log may be left in place. */
async function restored(t: TestContext): Promise<{ path: string; markPath: string; seen: number }> {
  const path = temporaryPath(t)
  const markPath = `${path}.mark`
  await withStore(path, { markPath }, (store) => put(store, '/first', 'x', signal))
  const backup = readFileSync(path)
  // The database moves on before the log begins that is left behind.
  await withStore(path, { markPath }, async (store) => {
    for (let index = 0; index < 200; index++) await put(store, `/later/${index}`, 'x'.repeat(1000), signal)
  })
  const claims = new Claims('/claim/')
  const actor = start(t, 'claim', path, '/claim/', markPath)
  while (claims.count('committed') < 20) take(claims, await nextLine(actor))
  await kill(actor, claims)
  writeFileSync(path, backup)
  rmSync(markPath)
  return { path, markPath, seen: highest(claims) }
}

test('sqlite restore: a log that a crash left beside a restored file is not played into it', async (t) => {
  const { path, markPath } = await restored(t)
  const before = [readFileSync(path), readFileSync(`${path}-wal`)]
  await assert.rejects(openAt(path, { markPath }), (error) => {
    assert.ok(error instanceof StoreLost, String(error))
    assert.ok(error.message.includes(`remove ${path}-wal and ${path}-shm`), error.message)
    return true
  })
  assert.deepEqual([readFileSync(path), readFileSync(`${path}-wal`)], before, 'a refusal changes nothing')
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  await withStore(path, { markPath }, async (store) => {
    assert.equal((await store.list({ prefix: '/' }, signal)).entries.length, 1)
  })
})

test('sqlite restore: revisions skip ahead, and no client resumes in a history that never was', async (t) => {
  const { path, markPath, seen } = await restored(t)
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  const revision = await withStore(path, { markPath }, async (store) => {
    assert.match(store.restored ?? '', /mark was removed/)
    const newest = await store.currentRevision(signal)
    assert.ok(newest > seen, `${newest} was handed out before, as was ${seen}`)
    await assert.rejects(async () => {
      for await (const _ of store.watch('/', seen, signal)) return
    }, RevisionCompacted)
    return put(store, '/next', 'x', signal)
  })
  await withStore(path, { markPath }, async (store) => {
    assert.equal(store.restored, undefined, 'once for each restore')
    assert.equal(await store.currentRevision(signal), revision)
  })
})

test('sqlite restore: servers that start together on a restored store all start', async (t) => {
  const { path, markPath } = await restored(t)
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  const stores = await Promise.all([1, 2, 3].map(() => openAt(path, { markPath })))
  assert.ok(stores.some((store) => store.restored !== undefined))
  for (const store of stores) await store.close()
})

test('sqlite restore: a store where no mark can be written is never taken for restored', async (t) => {
  const path = temporaryPath(t)
  const markPath = `${path}.gone/mark`
  await withStore(path, { markPath }, (store) => put(store, '/first', 'x', signal))
  const actor = start(t, 'claim', path, '/claim/', markPath)
  await nextLine(actor)
  await kill(actor, new Claims('/claim/'))
  assert.ok(statSync(`${path}-wal`).size > 0)
  await withStore(path, { markPath }, async (store) => assert.equal(store.restored, undefined))
})

test('sqlite loss: a file that is replaced under a store is a fault of its reads and of its commits', async (t) => {
  const path = temporaryPath(t)
  const store = await openAt(path, { pollMs: 10 })
  await put(store, '/key', 'x', signal)
  writeFileSync(`${path}.other`, readFileSync(path))
  renameSync(`${path}.other`, path)
  const faultOf = (act: () => Promise<unknown>): Promise<unknown> =>
    act().then(
      () => undefined,
      (error: unknown) => (error instanceof StoreUnavailable ? error.fault : error),
    )
  await until(
    'it is noticed',
    async () => (await faultOf(() => store.currentRevision(signal))) === 'replaced',
  )
  assert.equal(await faultOf(() => put(store, '/key', 'y', signal)), 'replaced')
  await store.close()
})

test('sqlite loss: a damaged store and a damaged mark are refused as lost', async (t) => {
  const { path, markPath } = await killedStore(t)
  const mark = readFileSync(markPath)
  writeFileSync(markPath, 'scribble')
  await assert.rejects(openAt(path, { markPath }), (error) => {
    assert.ok(error instanceof StoreLost, String(error))
    assert.match(error.message, /Remove it to continue: this start then cannot detect/)
    return true
  })
  writeFileSync(markPath, mark)
  writeFileSync(path, Buffer.alloc(8192, 'scribble'))
  await assert.rejects(openAt(path, { markPath }), (error) => {
    assert.ok(error instanceof StoreLost, String(error))
    assert.match(error.message, /restore it from a backup/)
    return true
  })
})
