import assert from 'node:assert/strict'
import { RevisionCompacted, StoreUnavailable } from '../errors.ts'
import type { Write } from '../store.ts'
import { type Bench, bytes, committed, type Define, put, remove } from './harness.ts'
import { brief, observeUntil } from './observer.ts'

export function describeWatches(define: Define): void {
  define('a watch from the past tells everything since, in order', async (bench) => {
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    await put(a, `${prefix}before`, 'before', signal)
    const after = await put(a, `${prefix}x`, '0', signal)
    const first = await put(a, `${prefix}x`, '1', signal)
    await put(a, `${prefix}y`, '1', signal)
    await put(a, `/elsewhere${prefix}y`, '1', signal)
    await remove(a, `${prefix}x`, signal)
    const last = await put(a, `${prefix}x`, '2', signal)
    const seen = await observeUntil(watching(bench, b, after), ({ changes }) => changes.length === 4)
    assert.deepEqual(brief(seen.changes, prefix), ['x=1', 'y=1', 'x gone', 'x=2'])
    const [update, , , reborn] = seen.changes
    assert.ok(update?.kind === 'put' && reborn?.kind === 'put')
    assert.deepEqual([update.revision, update.createRevision], [first, after])
    assert.deepEqual([reborn.revision, reborn.createRevision], [last, last])
  })

  define('a watch from now hears what another connection writes', async (bench) => {
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const watch = observeUntil(watching(bench, b, after), ({ changes }) => changes.length === 20)
    const own = observeUntil(watching(bench, a, after), ({ changes }) => changes.length === 20)
    for (let index = 0; index < 20; index++) await put(a, `${prefix}${index % 4}`, `${index}`, signal)
    const want = Array.from({ length: 20 }, (_, index) => `${index % 4}=${index}`)
    assert.deepEqual(brief((await watch).changes, prefix), want)
    assert.deepEqual(brief((await own).changes, prefix), want)
  })

  define('changes of one revision travel together', async (bench) => {
    const { open, prefix, signal, scaled } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const commits = scaled(40)
    const watch = observeUntil(watching(bench, b, after), ({ changes }) => changes.length >= commits * 7)
    const value = bytes('x')
    for (let round = 0; round < commits; round++) {
      const writes = Array.from(
        { length: 7 },
        (_, index): Write => ({ kind: 'put', key: `${prefix}${index}`, value }),
      )
      await committed(a, { writes }, signal)
    }
    // The observer itself refuses a revision that comes after its batch was complete.
    assert.equal((await watch).changes.length, commits * 7)
  })

  define('a large commit is seen whole, also by a watch that begins in the past', async (bench) => {
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const value = new Uint8Array(10_000).fill(120)
    const keys = Array.from({ length: 100 }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`)
    const live = observeUntil(watching(bench, b, after), ({ changes }) => changes.length >= 200)
    let last = after
    for (let round = 0; round < 2; round++) {
      const writes = keys.map((key): Write => ({ kind: 'put', key, value }))
      const { revision, revisions } = await committed(a, { writes }, signal)
      // Either one revision for all of them, or one each, in the order of the writes.
      const own = revisions.map((_, index) => revision - keys.length + 1 + index)
      const shared = revisions.map(() => revision)
      assert.deepEqual(revisions, revisions[0] === revision ? shared : own)
      last = revision
    }
    const want = [...keys, ...keys]
    assert.deepEqual(
      (await live).changes.map(({ key }) => key),
      want,
    )
    const seen = await observeUntil(watching(bench, b, after), ({ revision }) => revision >= last)
    assert.deepEqual(
      seen.changes.map(({ key }) => key),
      want,
    )
    // A watch continues after a revision even if several changes share it: they came in one batch.
    const rest = observeUntil(watching(bench, b, last), ({ changes }) => changes.length > 0)
    await put(a, `${prefix}later`, 'x', signal)
    assert.deepEqual(brief((await rest).changes, prefix), ['later=x'])
  })

  define('many watches each hear their own prefix', async (bench) => {
    const { open, prefix, signal, scaled } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const names = Array.from({ length: scaled(20) }, (_, index) => `${index}/`)
    const watches = names.map((name) =>
      observeUntil(
        { ...watching(bench, b, after), prefix: prefix + name },
        ({ changes }) => changes.length === 2,
      ),
    )
    for (const round of ['1', '2']) {
      await Promise.all(names.map((name) => put(a, `${prefix}${name}key`, round, signal)))
    }
    for (const watch of await Promise.all(watches)) {
      assert.deepEqual(
        watch.changes.map((change) => change.kind === 'put' && Buffer.from(change.value).toString()),
        ['1', '2'],
      )
    }
  })

  define('a watch reports progress when others are busy', async (bench) => {
    if (bench.options.progress === false) return
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    const after = await put(a, `${prefix}mine/x`, 'x', signal)
    const watch = observeUntil({ ...watching(bench, b, after), prefix: `${prefix}mine/` }, ({ revision }) => {
      return revision > after
    })
    await put(a, `${prefix}other/y`, 'y', signal)
    assert.deepEqual((await watch).changes, [])
  })

  define('a watch of compacted history says so', async (bench) => {
    const { open, prefix, signal } = bench
    const store = await open()
    const after = await put(store, `${prefix}x`, '1', signal)
    await put(store, `${prefix}x`, '2', signal)
    const compacted = await put(store, `${prefix}x`, '3', signal)
    await put(store, `${prefix}x`, '4', signal)
    await store.compact(compacted, signal)
    await assert.rejects(
      observeUntil(watching(bench, store, after), () => true),
      (error) => error instanceof RevisionCompacted && error.compactedRevision === compacted,
    )
    const seen = await observeUntil(watching(bench, store, compacted), ({ changes }) => changes.length > 0)
    assert.deepEqual(brief(seen.changes, prefix), ['x=4'])
  })

  define('compaction leaves a watch alone that has seen everything', async (bench) => {
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const seen = Promise.withResolvers<void>()
    const watch = observeUntil(watching(bench, b, after), ({ changes }) => {
      if (changes.length === 1) seen.resolve()
      return changes.length === 2
    })
    const revision = await put(a, `${prefix}x`, '1', signal)
    await seen.promise
    await a.compact(revision, signal)
    await put(a, `${prefix}x`, '2', signal)
    assert.deepEqual(brief((await watch).changes, prefix), ['x=1', 'x=2'])
  })

  define('an aborted watch ends without an error', async (bench) => {
    const { open, prefix, signal } = bench
    const store = await open()
    const after = await store.currentRevision(signal)
    const stop = new AbortController()
    const started = Promise.withResolvers<void>()
    const ended = (async () => {
      for await (const { changes } of store.watch(prefix, after, stop.signal))
        if (changes.length) started.resolve()
      return 'ended'
    })()
    await put(store, `${prefix}x`, 'x', signal)
    await started.promise
    stop.abort()
    assert.equal(await ended, 'ended')
    for await (const _ of store.watch(prefix, after, AbortSignal.abort()))
      assert.fail('an aborted watch spoke')
  })

  define('closing ends the watches, and only those of its connection', async (bench) => {
    const { open, prefix, signal } = bench
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const heard = Promise.withResolvers<void>()
    const closing = observeUntil(watching(bench, a, after), ({ changes }) => {
      if (changes.length === 1) heard.resolve()
      return false
    })
    const staying = observeUntil(watching(bench, b, after), ({ changes }) => changes.length === 2)
    await put(b, `${prefix}x`, '1', signal)
    await heard.promise
    await Promise.all([a.close(), assert.rejects(closing, StoreUnavailable)])
    await put(b, `${prefix}x`, '2', signal)
    assert.equal((await staying).changes.length, 2)
    await assert.rejects(put(a, `${prefix}x`, '3', signal), StoreUnavailable)
    await assert.rejects(a.read([`${prefix}x`], signal), StoreUnavailable)
    await assert.rejects(a.currentRevision(signal), StoreUnavailable)
    await a.close()
  })
}

function watching(
  { prefix, signal, options }: Bench,
  store: Parameters<typeof observeUntil>[0]['store'],
  after: number,
) {
  return { store, prefix, after, signal, breaks: options.breaks }
}
