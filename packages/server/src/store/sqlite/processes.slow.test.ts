import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { integer } from '@strata/world'
import { bytes, put, seededRandom, text } from '../contract/harness.ts'
import { observeUntil } from '../contract/observer.ts'
import { StoreUnavailable } from '../errors.ts'
import { readOne, type Store } from '../store.ts'
import { nextLine, openAt, start, temporaryPath, withStore } from './open-for-test.ts'

const { signal } = new AbortController()
const scale = Math.max(1, Number(process.env.STRATA_TEST_SCALE ?? 1))

test('sqlite: several processes count on one file, and nothing is lost', async (t) => {
  const path = temporaryPath(t)
  const each = 100 * scale
  const total = 3 * each
  await withStore(path, {}, async (store) => {
    const watcher = start(t, 'watch', path, `${total}`)
    assert.equal(await nextLine(watcher), 'watching')
    const own = observeUntil({ store, prefix: '/counter', after: 1, signal }, ({ changes }) => {
      return changes.length === total
    })
    const counters = ['a', 'b', 'c'].map((name) => start(t, 'count', path, name, `${each}`))
    for (const counter of counters) assert.equal(await nextLine(counter), 'done')
    const want = Array.from({ length: total }, (_, index) => `${index + 1}`)
    const seen = (await own).changes.map((change) => (change.kind === 'put' ? text(change) : 'gone'))
    assert.deepEqual(seen, want)
    const heard: string[] = []
    for (let line = await watcher.lines.next(); !line.done; line = await watcher.lines.next())
      heard.push(line.value)
    assert.deepEqual(heard, want)
    const steps = await store.list({ prefix: '/steps/' }, signal)
    assert.equal(new Set(steps.entries.map(text)).size, total)
  })
})

test('sqlite: after a kill -9 everything acknowledged is there, and nothing half', async (t) => {
  const path = temporaryPath(t)
  const random = seededRandom(9)
  const acknowledged: string[] = []
  for (let round = 0; round < 6 * scale; round++) {
    // In every other round a process lives on that has the file open, and so its log and its locks.
    const survivor = round % 2 === 0 ? await openAt(path) : undefined
    try {
      const child = start(t, 'triples', path, `${round}`)
      for (let count = 1 + integer(random, 200); count > 0; count--) acknowledged.push(await nextLine(child))
      // The last line was printed between two groups; a moment later the next group is half done.
      await pause(4 * random.fraction())
      child.process.kill('SIGKILL')
      for (let line = await child.lines.next(); !line.done; line = await child.lines.next()) {
        acknowledged.push(line.value)
      }
      await child.gone
      await withStore(path, {}, (store) => checkTriples(store, acknowledged))
      if (survivor) await checkTriples(survivor, acknowledged)
      checkIntegrity(path)
    } finally {
      await survivor?.close()
    }
  }
})

async function checkTriples(store: Store, acknowledged: readonly string[]): Promise<void> {
  await put(store, '/alive', 'yes', signal)
  const { entries } = await store.list({ prefix: '/triples/' }, signal)
  const parts = Map.groupBy(entries, ({ key }) => key.split('/')[2] ?? '')
  for (const [name, triple] of parts) {
    assert.deepEqual(
      triple.map((entry) => text(entry)),
      Array.from({ length: 3 }, () => name.repeat(200)),
      `${name} is half there`,
    )
  }
  for (const name of acknowledged) assert.ok(parts.has(name), `${name} was acknowledged and is lost`)
}

function checkIntegrity(path: string): void {
  const database = new DatabaseSync(path)
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
}

for (const [ending, wake] of [
  ['thaws', 'SIGCONT'],
  ['is killed', 'SIGKILL'],
] as const) {
  test(`sqlite: a process frozen with the lock stops writes, but nothing else, until it ${ending}`, async (t) => {
    const path = temporaryPath(t)
    await withStore(path, { timeoutMs: 2000 }, async (store) => {
      await put(store, '/key', 'before', signal)
      const frozen = start(t, 'freeze', path)
      assert.equal(await nextLine(frozen), 'holding')

      let turns = 0
      const turning = setInterval(() => turns++, 1)
      const patience = new AbortController()
      const refused = Array.from({ length: 1000 }, (_, index) => {
        const commit = {
          writes: [{ kind: 'put' as const, key: `/late/${index}`, value: bytes('late') }],
          guards: [],
        }
        // Half of them by the store's deadline, half by their own: before the writer began, in both cases.
        return assert.rejects(store.commit(commit, index % 2 ? patience.signal : signal), StoreUnavailable)
      })
      assert.equal(text(await readOne(store, '/key', signal)), 'before')
      await withStore(path, {}, async (newcomer) => {
        assert.equal(text(await readOne(newcomer, '/key', signal)), 'before')
      })
      patience.abort()
      await Promise.all(refused)
      clearInterval(turning)
      assert.ok(turns > 3, 'the event loop stood still')

      frozen.process.kill(wake)
      await frozen.gone
      assert.ok((await put(store, '/key', 'after', signal)) > 0)
      // Withdrawn commits must never be written, not even now that it is possible.
      assert.deepEqual((await store.list({ prefix: '/late/' }, signal)).entries, [])
      assert.equal(await readOne(store, '/half', signal), undefined)
    })
  })
}

test('sqlite: of the commits that wait for a frozen process only those still wanted are written', async (t) => {
  const path = temporaryPath(t)
  await withStore(path, { timeoutMs: 600_000 }, async (store) => {
    const frozen = start(t, 'freeze', path)
    assert.equal(await nextLine(frozen), 'holding')
    const patience = new AbortController()
    const commit = (key: string, until: AbortSignal): Promise<unknown> =>
      store.commit({ writes: [{ kind: 'put', key, value: bytes(key) }], guards: [] }, until)
    const wanted = Array.from({ length: 5 }, (_, index) => commit(`/wanted/${index}`, signal))
    const unwanted = Array.from({ length: 5 }, (_, index) => commit(`/unwanted/${index}`, patience.signal))
    // A commit is handed to the writing thread within a turn or two; there it meets the lock.
    await pause(50)
    patience.abort()
    for (const one of unwanted) await assert.rejects(one, StoreUnavailable)
    frozen.process.kill('SIGCONT')
    await Promise.all(wanted)
    assert.equal((await store.list({ prefix: '/wanted/' }, signal)).entries.length, 5)
    assert.deepEqual((await store.list({ prefix: '/unwanted/' }, signal)).entries, [])
  })
})
