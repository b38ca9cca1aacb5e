import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bytes, put, remove } from '../contract/harness.ts'
import { observeUntil } from '../contract/observer.ts'
import { describeStoreContract } from '../contract.ts'
import { StoreUnavailable } from '../errors.ts'
import { UnknownStoreFormat } from './index.ts'
import { nextLine, openAt, start, temporaryPath, withStore } from './open-for-test.ts'
import { peerDirectory } from './peers.ts'

const { signal } = new AbortController()

describeStoreContract('sqlite', async (t) => {
  const path = temporaryPath(t)
  return { open: () => openAt(path) }
})

test('sqlite: writes survive closing and opening', async (t) => {
  const path = join(dirname(temporaryPath(t)), 'new', 'directories', 'store.db')
  const revision = await withStore(path, {}, (store) => put(store, '/key', 'value', signal))
  await withStore(path, {}, async (store) => {
    assert.equal(await store.currentRevision(signal), revision)
    assert.ok((await put(store, '/key', 'again', signal)) > revision)
  })
  const left = ['store.db', 'store.db.hosts', 'store.db.peers']
  assert.deepEqual(readdirSync(dirname(path)), left, 'files were left behind')
})

const replaceByCopy = (path: string): void => {
  renameSync(path, `${path}.old`)
  copyFileSync(`${path}.old`, path)
}
for (const [what, act] of [
  ['replaced by a copy', replaceByCopy],
  ['removed', (path: string) => rmSync(path)],
] as const) {
  test(`sqlite: a file that is ${what} while it is open is neither read nor written any more`, async (t) => {
    const path = temporaryPath(t)
    await withStore(path, { pollMs: 10 }, async (store) => {
      await put(store, '/key', 'value', signal)
      const watch = store.watch('/', 1, signal)[Symbol.asyncIterator]()
      await watch.next()
      const next = watch.next()
      next.catch(() => {})
      act(path)
      await assert.rejects(next, { name: 'StoreUnavailable', message: /replaced or removed/ })
      await assert.rejects(put(store, '/key', 'lost', signal), StoreUnavailable)
      await assert.rejects(store.currentRevision(signal), StoreUnavailable)
    })
  })
}

test('sqlite: files that are not ours are refused with a reason', async (t) => {
  const directory = dirname(temporaryPath(t))
  const text = join(directory, 'text.db')
  writeFileSync(text, 'dear diary, '.repeat(1000))
  await assert.rejects(openAt(text), { name: 'StoreLost', message: /text\.db.*not a database/ })

  const foreign = join(directory, 'foreign.db')
  const database = new DatabaseSync(foreign)
  database.exec('CREATE TABLE songs (title TEXT)')
  database.close()
  await assert.rejects(openAt(foreign), { name: 'UnknownStoreFormat', message: /another program/ })

  const newer = join(directory, 'newer.db')
  await withStore(newer, {}, (store) => put(store, '/key', 'value', signal))
  const raised = new DatabaseSync(newer)
  raised.exec(`UPDATE meta SET number = 7 WHERE name = 'format'`)
  raised.close()
  await assert.rejects(
    openAt(newer),
    (error) => error instanceof UnknownStoreFormat && /format 7/.test(error.message),
  )
})

test('sqlite: a full disk refuses writes, keeps what it has, and stays readable', async (t) => {
  const path = temporaryPath(t)
  const value = bytes('x'.repeat(50_000))
  const written: string[] = []
  await withStore(path, { maxBytes: 1 << 20 }, async (store) => {
    for (let refusals = 0, index = 0; refusals < 3; index++) {
      const key = `/key/${String(index).padStart(3, '0')}`
      try {
        await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, signal)
        written.push(key)
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable && /full/.test(error.message), String(error))
        refusals++
      }
      assert.ok(index < 100, 'the limit was not kept')
    }
    const listed = await store.list({ prefix: '/key/' }, signal)
    assert.deepEqual(
      listed.entries.map(({ key }) => key),
      written,
    )
  })
  await withStore(path, {}, async (store) => {
    assert.ok((await put(store, '/key/more', 'more', signal)) > 0)
    assert.equal((await store.list({ prefix: '/key/' }, signal)).entries.length, written.length + 1)
  })
})

test('sqlite: compaction shrinks the history to what the state shows', async (t) => {
  const path = temporaryPath(t)
  await withStore(path, {}, async (store) => {
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => put(store, `/key/${index}`, `${round}`, signal)),
      )
    }
    const deleted = await Promise.all(
      Array.from({ length: 20 }, (_, index) => remove(store, `/key/${index}`, signal)),
    )
    await store.compact(Math.max(...deleted), signal)
    const rows = (): number => {
      const database = new DatabaseSync(path, { readOnly: true })
      const { count } = database.prepare('SELECT count(*) AS count FROM log').get() ?? {}
      database.close()
      return Number(count)
    }
    // Twenty keys are left, and the last delete, which keeps the newest revision.
    assert.ok(rows() <= 22, `${rows()} rows are left`)
    const last = await put(store, '/key/0', 'new', signal)
    await store.compact(last, signal)
    assert.equal((await store.list({ prefix: '/key/', revision: last }, signal)).entries.length, 21)
    assert.ok(rows() <= 22, `${rows()} rows are left`)
  })
})

test('sqlite: where the path is too long for a socket, changes are pushed all the same', async (t) => {
  const path = join(dirname(temporaryPath(t)), 'long'.repeat(20), 'way'.repeat(20), 'store.db')
  mkdirSync(dirname(path), { recursive: true })
  assert.ok(!peerDirectory(path).startsWith(dirname(path)))
  t.after(() => rmSync(peerDirectory(path), { recursive: true, force: true }))
  await withStore(path, {}, (a) =>
    withStore(path, {}, async (b) => {
      const after = await b.currentRevision(signal)
      const watch = observeUntil(
        { store: b, prefix: '/', after, signal },
        ({ changes }) => changes.length === 1,
      )
      await put(a, '/key', 'value', signal)
      await watch
    }),
  )
})

test('sqlite: the sockets of dead processes are cleared away', async (t) => {
  const path = temporaryPath(t)
  const child = start(t, 'triples', path, 'round')
  await nextLine(child)
  child.process.kill('SIGKILL')
  await child.gone
  const sockets = (): string[] => readdirSync(`${path}.peers`)
  const [dead] = sockets()
  assert.ok(dead)
  await withStore(path, {}, async () => {
    while (existsSync(join(`${path}.peers`, dead))) await pause(5)
    assert.equal(sockets().length, 1)
  })
  assert.equal(sockets().length, 0)
})

test('sqlite: the write-ahead log does not grow for ever', async (t) => {
  const path = temporaryPath(t)
  const value = new Uint8Array(100_000)
  await withStore(path, {}, async (store) => {
    const writes = async (index: number): Promise<void> => {
      for (let round = 0; round < 50; round++) {
        await store.commit({ writes: [{ kind: 'put', key: `/key/${index}`, value }], guards: [] }, signal)
        await store.read([`/key/${index}`], signal)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, index) => writes(index)))
    const database = new DatabaseSync(path, { readOnly: true })
    const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {}
    database.close()
    assert.ok(Number(log) - Number(checkpointed) < 4000, `${log} frames, of which ${checkpointed} are moved`)
  })
})
