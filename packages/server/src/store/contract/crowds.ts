import assert from 'node:assert/strict'
import { readOne, type Store } from '../store.ts'
import { bytes, committed, type Define, put, text } from './harness.ts'
import { observeUntil } from './observer.ts'

export function describeCrowds(define: Define): void {
  define('a thousand writers of one key lose nothing', async ({ open, prefix, signal, scaled, options }) => {
    const stores = [await open(), await open()]
    const [first] = stores
    assert.ok(first)
    const key = `${prefix}counter`
    const after = await put(first, key, '0', signal)
    const writers = scaled(1000)
    // All try at once, from the same reading. The losers retry a few at a time: with all of them in every round there would be
    // half a million attempts, without further insight.
    const lanes = createLanes(16)
    const increment = async (store: Store): Promise<number> => {
      let entry = await readOne(store, key, signal)
      const attempt = async (): Promise<number | undefined> => {
        assert.ok(entry)
        const value = bytes(`${Number(text(entry)) + 1}`)
        const guards = [{ key, revision: entry.revision }]
        const outcome = await store.commit({ writes: [{ kind: 'put', key, value }], guards }, signal)
        if (outcome.outcome === 'committed') return outcome.revision
        entry = outcome.broken[0].current
        return undefined
      }
      const insist = async (): Promise<number> => {
        for (;;) {
          const revision = await attempt()
          if (revision !== undefined) return revision
        }
      }
      return (await attempt()) ?? (await lanes(insist))
    }
    const writing = Array.from({ length: writers }, (_, index) =>
      increment(stores[index % stores.length] ?? first),
    )
    const watch = observeUntil(
      { store: first, prefix, after, signal, breaks: options.breaks },
      ({ changes }) => {
        return changes.length >= writers
      },
    )
    const revisions = await Promise.all(writing)
    assert.equal(new Set(revisions).size, writers)
    assert.equal(text(await readOne(first, key, signal)), `${writers}`)
    const counts = (await watch).changes.map((change) =>
      change.kind === 'put' ? Number(text(change)) : 'gone',
    )
    assert.deepEqual(
      counts,
      Array.from({ length: writers }, (_, index) => index + 1),
    )
  })

  define('money moved by many hands is neither made nor lost', async ({ open, prefix, signal, scaled }) => {
    const stores = [await open(), await open()]
    const [first, second] = stores
    assert.ok(first && second)
    const accounts = Array.from({ length: 6 }, (_, index) => `${prefix}${index}`)
    const writes = accounts.map((key) => ({ kind: 'put' as const, key, value: bytes('100') }))
    await committed(first, { writes }, signal)
    const move = async (store: Store, from: string, to: string): Promise<void> => {
      for (;;) {
        const { entries } = await store.read([from, to], signal)
        const [source, target] = entries
        assert.ok(source && target)
        const outcome = await store.commit(
          {
            writes: [
              { kind: 'put', key: from, value: bytes(`${Number(text(source)) - 1}`) },
              { kind: 'put', key: to, value: bytes(`${Number(text(target)) + 1}`) },
            ],
            guards: [source, target].map(({ key, revision }) => ({ key, revision })),
          },
          signal,
        )
        if (outcome.outcome === 'committed') return
      }
    }
    const hand = async (index: number): Promise<void> => {
      const store = index % 2 ? first : second
      for (let round = 0; round < scaled(10); round++) {
        const from = (index + round) % accounts.length
        const to = (from + 1 + (round % (accounts.length - 1))) % accounts.length
        await move(store, accounts[from] ?? '', accounts[to] ?? '')
        const { entries } = await store.list({ prefix }, signal)
        assert.equal(
          entries.reduce((sum, entry) => sum + Number(text(entry)), 0),
          600,
        )
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, index) => hand(index)))
  })
}

/** Runs at most `width` at a time, in the order of the calls. */
function createLanes(width: number): <T>(action: () => Promise<T>) => Promise<T> {
  let free = width
  const waiting: (() => void)[] = []
  return async (action) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await action()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
