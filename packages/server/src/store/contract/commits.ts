import assert from 'node:assert/strict'
import { InvariantBroken } from '@strata/world'
import { StoreUnavailable } from '../errors.ts'
import { type Guard, readOne, storeLimits, type Write } from '../store.ts'
import { bytes, committed, type Define, put, refused, remove, text } from './harness.ts'

export function describeCommits(define: Define): void {
  define('revisions grow, in one order across keys and connections', async ({ open, prefix, signal }) => {
    const [a, b] = [await open(), await open()]
    let last = await a.currentRevision(signal)
    assert.ok(Number.isSafeInteger(last) && last > 0)
    for (let index = 0; index < 20; index++) {
      const revision = await put(index % 2 ? a : b, `${prefix}${index % 3}`, `${index}`, signal)
      assert.ok(revision > last)
      last = revision
      assert.equal(await b.currentRevision(signal), last)
    }
  })

  define('a commit writes all of its keys', async ({ open, prefix, signal }) => {
    const store = await open()
    const gone = `${prefix}gone`
    await put(store, gone, 'x', signal)
    const [one, two] = [`${prefix}1`, `${prefix}2`]
    const writes: Write[] = [
      { kind: 'put', key: two, value: bytes('two') },
      { kind: 'delete', key: gone },
      { kind: 'put', key: one, value: bytes('one') },
    ]
    const { revision, revisions } = await committed(store, { writes }, signal)
    assert.equal(revisions.length, 3)
    assert.equal(Math.max(...revisions), revision)
    const reading = await store.read([one, two, gone], signal)
    assert.equal(reading.revision, revision)
    assert.deepEqual(reading.entries, [
      { key: one, value: bytes('one'), revision: revisions[2], createRevision: revisions[2] },
      { key: two, value: bytes('two'), revision: revisions[0], createRevision: revisions[0] },
      undefined,
    ])
  })

  define('a refused commit writes nothing and names every broken guard', async ({ open, prefix, signal }) => {
    const store = await open()
    const [held, moved, there, missing] = ['held', 'moved', 'there', 'missing'].map((name) => prefix + name)
    assert.ok(held && moved && there && missing)
    const heldAt = await put(store, held, 'held', signal)
    const movedFrom = await put(store, moved, 'old', signal)
    const movedTo = await put(store, moved, 'new', signal)
    const thereAt = await put(store, there, 'there', signal)
    const outcome = await refused(
      store,
      {
        writes: [
          { kind: 'put', key: held, value: bytes('overwritten') },
          { kind: 'delete', key: there },
        ],
        guards: [
          { key: held, revision: heldAt },
          { key: moved, revision: movedFrom },
          { key: there, revision: 'absent' },
          { key: missing, revision: heldAt },
        ],
      },
      signal,
    )
    assert.deepEqual(outcome.broken, [
      {
        guard: { key: moved, revision: movedFrom },
        current: { key: moved, value: bytes('new'), revision: movedTo, createRevision: movedFrom },
      },
      {
        guard: { key: there, revision: 'absent' },
        current: { key: there, value: bytes('there'), revision: thereAt, createRevision: thereAt },
      },
      { guard: { key: missing, revision: heldAt }, current: undefined },
    ])
    assert.equal(outcome.revision, thereAt)
    assert.equal(await store.currentRevision(signal), thereAt)
    assert.equal(text(await readOne(store, held, signal)), 'held')
    assert.equal(text(await readOne(store, there, signal)), 'there')
  })

  define('guards hold for keys that the commit does not write', async ({ open, prefix, signal }) => {
    const store = await open()
    const [fence, object] = [`${prefix}fence`, `${prefix}object`]
    const fenceAt = await put(store, fence, 'v1', signal)
    const write: Write = { kind: 'put', key: object, value: bytes('x') }
    const guards = [
      { key: fence, revision: fenceAt },
      { key: object, revision: 'absent' as const },
    ]
    await committed(store, { writes: [write], guards }, signal)
    await remove(store, object, signal)
    await put(store, fence, 'v2', signal)
    const { broken } = await refused(store, { writes: [write], guards }, signal)
    assert.deepEqual(
      broken.map(({ guard, current }) => [guard.key, text(current)]),
      [[fence, 'v2']],
    )
    assert.equal(await readOne(store, object, signal), undefined)
  })

  define('a guard of bytes holds where exactly those stand', async ({ open, prefix, signal }) => {
    const store = await open()
    const [guarded, object] = [`${prefix}guarded`, `${prefix}object`]
    const write: Write = { kind: 'put', key: object, value: bytes('written') }
    const guard: Guard = { key: guarded, value: bytes('one') }
    const missing = await refused(store, { writes: [write], guards: [guard] }, signal)
    assert.deepEqual(missing.broken, [{ guard, current: undefined }])
    await put(store, guarded, 'one', signal)
    await put(store, guarded, 'one', signal)
    await committed(store, { writes: [write], guards: [guard] }, signal)
    for (const other of ['on', 'one ', 'two', '']) {
      const revision = await put(store, guarded, other, signal)
      const { broken } = await refused(store, { writes: [write], guards: [guard] }, signal)
      assert.deepEqual([broken[0].guard, broken[0].current?.revision], [guard, revision])
      assert.equal(text(broken[0].current), other)
    }
    // An empty value is not an absent key.
    await committed(store, { guards: [{ key: guarded, value: bytes('') }] }, signal)
    const empty: Guard = { key: `${prefix}none`, value: bytes('') }
    assert.deepEqual((await refused(store, { guards: [empty] }, signal)).broken, [
      { guard: empty, current: undefined },
    ])
  })

  define('guards of bytes and of revisions stand beside values', async ({ open, prefix, signal }) => {
    const store = await open()
    const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`]
    await put(store, a, 'first', signal)
    const revision = await put(store, b, 'second', signal)
    const guards: Guard[] = [
      { key: a, value: bytes('first') },
      { key: b, revision },
      { key: b, value: bytes('second') },
    ]
    const writes: Write[] = [
      { kind: 'put', key: b, value: bytes('third') },
      { kind: 'put', key: c, value: bytes('fourth') },
    ]
    const [one, other] = await Promise.all([
      store.commit({ writes, guards }, signal),
      store.commit({ writes: [], guards: [{ key: a, value: bytes('first') }] }, signal),
    ])
    assert.deepEqual([one.outcome, other.outcome], ['committed', 'committed'])
    const { entries } = await store.read([a, b, c], signal)
    assert.deepEqual(entries.map(text), ['first', 'third', 'fourth'])
    const { broken } = await refused(store, { writes, guards }, signal)
    assert.deepEqual(
      broken.map(({ guard }) => guard),
      guards.slice(1),
    )
  })

  define(
    'a commit without writes confirms its guards and moves nothing',
    async ({ open, prefix, signal }) => {
      const store = await open()
      const key = `${prefix}key`
      const revision = await put(store, key, 'x', signal)
      const guards = [
        { key, revision },
        { key: `${prefix}none`, revision: 'absent' as const },
      ]
      assert.deepEqual(await committed(store, { guards }, signal), {
        outcome: 'committed',
        revision,
        revisions: [],
      })
      assert.equal(await store.currentRevision(signal), revision)
      assert.deepEqual(await committed(store, {}, signal), { outcome: 'committed', revision, revisions: [] })
      const broken = await refused(store, { guards: [{ key, revision: 'absent' }] }, signal)
      assert.equal(broken.revision, revision)
    },
  )

  define('the delete of an absent key changes nothing', async ({ open, prefix, signal }) => {
    const store = await open()
    const before = await put(store, `${prefix}other`, 'x', signal)
    assert.equal(await remove(store, `${prefix}absent`, signal), before)
    assert.equal(await store.currentRevision(signal), before)
    const { revision, revisions } = await committed(
      store,
      {
        writes: [
          { kind: 'delete', key: `${prefix}absent` },
          { kind: 'put', key: `${prefix}new`, value: bytes('new') },
        ],
      },
      signal,
    )
    assert.equal(revisions.length, 2)
    assert.equal(revisions[1], revision)
    assert.equal((await readOne(store, `${prefix}new`, signal))?.revision, revision)
  })

  define('a key keeps its create revision until it is deleted', async ({ open, prefix, signal }) => {
    const store = await open()
    const key = `${prefix}key`
    const born = await put(store, key, '1', signal)
    const updated = await put(store, key, '2', signal)
    let entry = await readOne(store, key, signal)
    assert.deepEqual([entry?.createRevision, entry?.revision], [born, updated])
    const deleted = await remove(store, key, signal)
    assert.ok(deleted > updated)
    const refusal = await refused(store, { guards: [{ key, revision: updated }] }, signal)
    assert.equal(refusal.broken[0].current, undefined)
    const { revision: reborn } = await committed(
      store,
      { writes: [{ kind: 'put', key, value: bytes('3') }], guards: [{ key, revision: 'absent' }] },
      signal,
    )
    entry = await readOne(store, key, signal)
    assert.deepEqual([entry?.createRevision, entry?.revision], [reborn, reborn])
    assert.ok(reborn > deleted)
  })

  define('a commit that no home accepts is a bug of the caller', async ({ open, prefix, signal }) => {
    const store = await open()
    const before = await store.currentRevision(signal)
    const key = `${prefix}key`
    const twice: Write[] = [
      { kind: 'put', key, value: bytes('1') },
      { kind: 'delete', key },
    ]
    const many = Array.from({ length: storeLimits.operationsPerCommit + 1 }, (_, index) => ({
      key: `${prefix}${index}`,
      revision: 'absent' as const,
    }))
    const large: Write = { kind: 'put', key, value: new Uint8Array(storeLimits.bytesPerCommit + 1) }
    await assert.rejects(store.commit({ writes: twice, guards: [] }, signal), InvariantBroken)
    await assert.rejects(store.commit({ writes: [], guards: many }, signal), InvariantBroken)
    await assert.rejects(store.commit({ writes: [large], guards: [] }, signal), InvariantBroken)
    assert.equal(await store.currentRevision(signal), before)
  })

  define('a commit may be as large as the limits say', async ({ open, prefix, signal }) => {
    const store = await open()
    const writes = Array.from({ length: storeLimits.operationsPerCommit }, (_, index): Write => {
      const value = new Uint8Array(
        Math.floor(storeLimits.bytesPerCommit / storeLimits.operationsPerCommit) - 80,
      )
      return { kind: 'put', key: `${prefix}${String(index).padStart(3, '0')}`, value: value.fill(index) }
    })
    const { revision } = await committed(store, { writes }, signal)
    const page = await store.list({ prefix, revision }, signal)
    assert.deepEqual(
      page.entries.map(({ key, value }) => ({ kind: 'put', key, value })),
      writes,
    )
  })

  define('each of as many writes as a commit may have may be guarded', async ({ open, prefix, signal }) => {
    const store = await open()
    const keys = Array.from({ length: 100 }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`)
    const writes = keys.map((key): Write => ({ kind: 'put', key, value: bytes('1') }))
    const first = await committed(store, { writes }, signal)
    const fence = await put(store, `${prefix}fence`, 'x', signal)
    const guards: Guard[] = [
      { key: `${prefix}fence`, revision: fence },
      ...keys.map((key, index): Guard => ({ key, revision: first.revisions[index] ?? 'absent' })),
    ]
    const again = writes.map((write): Write => ({ ...write, kind: 'put', value: bytes('2') }))
    await committed(store, { writes: again, guards }, signal)
    // All of them have moved, and the refusal shows all of them.
    const { broken } = await refused(store, { writes: again, guards }, signal)
    assert.deepEqual(
      broken.map(({ guard, current }) => [guard.key, text(current)]),
      keys.map((key) => [key, '2']),
    )
  })

  define('an aborted commit is never begun', async ({ open, prefix, signal }) => {
    const store = await open()
    const key = `${prefix}key`
    const write: Write = { kind: 'put', key, value: bytes('x') }
    const aborted = AbortSignal.abort(new Error('gone home'))
    await assert.rejects(store.commit({ writes: [write], guards: [] }, aborted), StoreUnavailable)
    await assert.rejects(store.read([key], aborted), StoreUnavailable)
    await assert.rejects(store.list({ prefix }, aborted), StoreUnavailable)
    await assert.rejects(store.currentRevision(aborted), StoreUnavailable)
    assert.equal(await readOne(store, key, signal), undefined)
  })
}
