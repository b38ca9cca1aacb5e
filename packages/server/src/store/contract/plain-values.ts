import type { BrokenGuard, ChangeBatch, Entry, Store } from '../store.ts'

/**
 * A store whose values are plain Uint8Arrays. A backend may return Buffers, which are Uint8Arrays to the type and to every
 * reader, but not to `assert.deepEqual`.
 */
export function withPlainValues(store: Store): Store {
  return {
    read: async (keys, signal) => {
      const reading = await store.read(keys, signal)
      return { ...reading, entries: reading.entries.map((entry) => entry && plain(entry)) }
    },
    list: async (range, signal) => {
      const page = await store.list(range, signal)
      return { ...page, entries: page.entries.map(plain) }
    },
    currentRevision: (signal) => store.currentRevision(signal),
    commit: async (commit, signal) => {
      const outcome = await store.commit(commit, signal)
      if (outcome.outcome === 'committed') return outcome
      const [first, ...others] = outcome.broken
      return { ...outcome, broken: [plainGuard(first), ...others.map(plainGuard)] }
    },
    watch: (prefix, after, signal) => plainBatches(store.watch(prefix, after, signal)),
    compact: (revision, signal) => store.compact(revision, signal),
    close: () => store.close(),
  }
}

async function* plainBatches(batches: AsyncIterable<ChangeBatch>): AsyncGenerator<ChangeBatch, void> {
  for await (const { revision, changes } of batches) {
    yield { revision, changes: changes.map((change) => (change.kind === 'put' ? plain(change) : change)) }
  }
}

function plainGuard({ guard, current }: BrokenGuard): BrokenGuard {
  return { guard, current: current && plain(current) }
}

function plain<T extends Pick<Entry, 'value'>>(entry: T): T {
  const { buffer, byteOffset, byteLength } = entry.value
  return { ...entry, value: new Uint8Array(buffer, byteOffset, byteLength) }
}
