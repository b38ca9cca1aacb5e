import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { RevisionCompacted, RevisionInFuture } from '../errors.ts'
import type { Range, Write } from '../store.ts'
import { readOne } from '../store.ts'
import { bytes, committed, type Define, keysOf, put, remove, seededRandom, text } from './harness.ts'

export function describeReads(define: Define): void {
  define('several keys are read at one revision', async ({ open, prefix, signal, scaled }) => {
    const [a, b] = [await open(), await open()]
    const keys = [`${prefix}1`, `${prefix}2`, `${prefix}3`]
    const rounds = scaled(50)
    const writing = (async () => {
      for (let round = 0; round < rounds; round++) {
        const value = bytes(`${round}`)
        await committed(a, { writes: keys.map((key): Write => ({ kind: 'put', key, value })) }, signal)
      }
    })()
    for (let last = -1; last < rounds - 1; ) {
      const { entries } = await b.read(keys, signal)
      const seen = entries.map((entry) => Number(text(entry) ?? -1))
      assert.deepEqual(new Set(seen).size, 1, `one reading shows the rounds ${seen}`)
      last = seen[0] ?? -1
      // A read may finish within the turn that began it. The writer needs a turn as well.
      await turn()
    }
    await writing
    assert.deepEqual((await a.read([], signal)).entries, [])
  })

  define(
    'a read sees every commit acknowledged before, on any connection',
    async ({ open, prefix, signal }) => {
      const [a, b] = [await open(), await open()]
      for (let round = 0; round < 50; round++) {
        const key = `${prefix}${round % 5}`
        const revision = await put(a, key, `${round}`, signal)
        assert.ok((await b.currentRevision(signal)) >= revision)
        const entry = await readOne(b, key, signal)
        assert.deepEqual([entry?.revision, text(entry)], [revision, `${round}`])
        const next = await put(b, key, `${round}!`, signal)
        assert.equal((await readOne(a, key, signal))?.revision, next)
        assert.ok((await a.list({ prefix }, signal)).revision >= next)
      }
    },
  )

  define('values may be empty, binary, and large', async ({ open, prefix, signal }) => {
    const [a, b] = [await open(), await open()]
    const after = await a.currentRevision(signal)
    const values = [
      new Uint8Array(0),
      Uint8Array.from({ length: 256 }, (_, index) => index),
      Uint8Array.of(0xff, 0xfe, 0x00),
      seededRandom(1).bytes(1 << 20),
      // A view into a larger buffer: only the view may be stored.
      new Uint8Array(64).fill(7).subarray(10, 20),
    ]
    for (const [index, value] of values.entries()) {
      await committed(a, { writes: [{ kind: 'put', key: `${prefix}${index}`, value }] }, signal)
    }
    const { entries } = await b.list({ prefix }, signal)
    assert.equal(entries.length, values.length)
    for (const [index, value] of values.entries()) {
      assert.deepEqual(Buffer.from(entries[index]?.value ?? 'none'), Buffer.from(value))
      assert.deepEqual((await readOne(b, `${prefix}${index}`, signal))?.value.length, value.length)
    }
    const seen: Uint8Array[] = []
    for await (const { changes } of b.watch(prefix, after, signal)) {
      for (const change of changes) if (change.kind === 'put') seen.push(change.value)
      if (seen.length === values.length) break
    }
    for (const [index, value] of values.entries())
      assert.deepEqual(Buffer.from(seen[index] ?? []), Buffer.from(value))
  })

  define(
    'a list is in the order of the keys’ bytes, and has the prefix’s keys only',
    async ({ open, prefix, signal }) => {
      const store = await open()
      const inside = [
        '',
        'a',
        'a\u007f',
        'a\u0080',
        'aÿ',
        'a\ud7ff',
        'a\ue000',
        'a\uffff',
        'a😀',
        'a\u{10ffff}',
        'a\u{10ffff}a',
        'b',
        'ÿ',
        'ÿÿ',
        '\u{10ffff}\u{10ffff}',
      ]
      for (const name of inside.toReversed()) await put(store, `${prefix}k/${name}`, name, signal)
      // Neighbours: the byte before the slash, the byte after it, and the bare name.
      for (const name of ['k', 'k.', 'k0', 'k\u{10ffff}']) await put(store, prefix + name, name, signal)
      const list = async (range: string): Promise<string[]> =>
        keysOf((await store.list({ prefix: `${prefix}${range}` }, signal)).entries, `${prefix}k/`)
      assert.deepEqual(await list('k/'), inside)
      for (const name of inside)
        assert.deepEqual(
          await list(`k/${name}`),
          inside.filter((one) => one.startsWith(name)),
        )
      assert.deepEqual(await list('nothing'), [])
    },
  )

  define('a list goes page by page', async ({ open, prefix, signal }) => {
    const store = await open()
    const names = Array.from({ length: 10 }, (_, index) => `key-${index}`)
    for (const name of names) await put(store, prefix + name, name, signal)
    const check = async (
      range: Omit<Range, 'prefix'>,
      want: readonly string[],
      remaining: number,
    ): Promise<void> => {
      const page = await store.list({ prefix, ...range }, signal)
      assert.deepEqual(
        [keysOf(page.entries, prefix), page.remaining],
        [want, remaining],
        JSON.stringify(range),
      )
    }
    await check({}, names, 0)
    await check({ limit: 3 }, names.slice(0, 3), 7)
    await check({ limit: 10 }, names, 0)
    await check({ limit: 11 }, names, 0)
    await check({ after: `${prefix}key-2`, limit: 3 }, names.slice(3, 6), 4)
    await check({ after: `${prefix}key-2x`, limit: 3 }, names.slice(3, 6), 4)
    await check({ after: `${prefix}key-8`, limit: 3 }, names.slice(9), 0)
    await check({ after: `${prefix}key-9` }, [], 0)
    await check({ after: `${prefix}z` }, [], 0)
    await check({ after: prefix.slice(0, -1) }, names, 0)
    const revision = await store.currentRevision(signal)
    await put(store, `${prefix}key-55`, 'late', signal)
    await remove(store, `${prefix}key-6`, signal)
    await check({ after: `${prefix}key-4`, limit: 2, revision }, ['key-5', 'key-6'], 3)
    await check({ after: `${prefix}key-4`, limit: 2 }, ['key-5', 'key-55'], 3)
  })

  define(
    'the past stays readable: what has changed since, and what is gone',
    async ({ open, prefix, signal }) => {
      const [a, b] = [await open(), await open()]
      const keep = await put(a, `${prefix}keep`, 'keep', signal)
      const born = await put(a, `${prefix}change`, 'old', signal)
      await put(a, `${prefix}delete`, 'old', signal)
      const revision = await put(a, `${prefix}again`, 'old', signal)
      const changed = await put(a, `${prefix}change`, 'new', signal)
      await put(a, `${prefix}change`, 'newer', signal)
      await remove(a, `${prefix}delete`, signal)
      await remove(a, `${prefix}again`, signal)
      const reborn = await put(a, `${prefix}again`, 'new', signal)
      await put(a, `${prefix}late`, 'late', signal)
      const show = async (at: number): Promise<string[]> => {
        const page = await b.list({ prefix, revision: at }, signal)
        assert.equal(page.revision, at)
        return page.entries.map(
          (entry) =>
            `${entry.key.slice(prefix.length)}=${text(entry)}@${entry.revision}/${entry.createRevision}`,
        )
      }
      const row = (name: string, at: number, create = at): string => `${name}@${at}/${create}`
      const old = [
        row('again=old', revision),
        row('change=old', born),
        row('delete=old', revision - 1),
        row('keep=keep', keep),
      ]
      assert.deepEqual(await show(keep), [row('keep=keep', keep)])
      assert.deepEqual(await show(revision), old)
      assert.deepEqual(await show(changed), old.with(1, row('change=new', changed, born)))
      assert.deepEqual(await show(reborn), [
        row('again=new', reborn),
        row('change=newer', changed + 1, born),
        row('keep=keep', keep),
      ])
    },
  )

  define('a revision that is yet to come is refused', async ({ open, prefix, signal }) => {
    const store = await open()
    const currentRevision = await put(store, `${prefix}key`, 'x', signal)
    const future = store.list({ prefix, revision: currentRevision + 1 }, signal)
    await assert.rejects(
      future,
      (error) => error instanceof RevisionInFuture && error.currentRevision === currentRevision,
    )
    await assert.rejects(store.compact(currentRevision + 1, signal), RevisionInFuture)
  })

  define('compaction forgets the past and keeps the rest', async ({ open, prefix, signal }) => {
    const [a, b] = [await open(), await open()]
    const key = `${prefix}key`
    const stays = await put(a, `${prefix}stays`, 'stays', signal)
    const first = await put(a, key, '1', signal)
    await put(a, `${prefix}brief`, 'brief', signal)
    await remove(a, `${prefix}brief`, signal)
    const second = await put(a, key, '2', signal)
    const third = await put(a, key, '3', signal)
    await a.compact(second, signal)
    for (const revision of [stays, first, second - 1]) {
      await assert.rejects(b.list({ prefix, revision }, signal), (error) => {
        return error instanceof RevisionCompacted && error.compactedRevision === second
      })
    }
    const show = async (revision: number): Promise<string[]> =>
      (await b.list({ prefix, revision }, signal)).entries.map(
        (entry) => `${text(entry)}@${entry.createRevision}`,
      )
    assert.deepEqual(await show(second), [`2@${first}`, `stays@${stays}`])
    assert.deepEqual(await show(third), [`3@${first}`, `stays@${stays}`])
    // Again, and further back than before: there is nothing left to do.
    await b.compact(second, signal)
    await b.compact(first, signal)
    assert.equal(await a.currentRevision(signal), third)
  })

  define(
    'compaction up to a delete, the newest change of all, loses no revision',
    async ({ open, prefix, signal }) => {
      const store = await open()
      const key = `${prefix}key`
      await put(store, key, 'x', signal)
      const deleted = await remove(store, key, signal)
      await store.compact(deleted, signal)
      assert.equal(await store.currentRevision(signal), deleted)
      assert.equal(await readOne(store, key, signal), undefined)
      const reborn = await put(store, key, 'y', signal)
      assert.ok(reborn > deleted)
      assert.equal((await readOne(store, key, signal))?.createRevision, reborn)
      await store.compact(reborn, signal)
      assert.deepEqual(keysOf((await store.list({ prefix, revision: reborn }, signal)).entries, prefix), [
        'key',
      ])
    },
  )
}
