import { DatabaseSync } from 'node:sqlite'
import { type Clock, sleep } from '@strata/world'
import { StoreUnavailable } from '../errors.ts'
import type { ChangeBatch, Key, Page, Range, Revision } from '../store.ts'
import { Reader } from './reader.ts'
import { checkFormat } from './schema.ts'
import { type Answer, tryRead } from './try-read.ts'

const busyRetryMs = 2
/** Running servers hold the lock for moments only. */
const busyAttempts = 5000

/** The file for read-only access. It is neither created nor repaired, and servers may be using it. */
export class ReadOnlySqlite {
  readonly #reader: Reader
  readonly #clock: Clock

  private constructor(reader: Reader, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
  }

  static async open(path: string, clock: Clock): Promise<ReadOnlySqlite> {
    const reader = await patiently(clock, () => {
      const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
      try {
        if (!checkFormat(database)) throw new StoreUnavailable('the file is empty')
      } finally {
        database.close()
      }
      return new Reader(path)
    })
    return new ReadOnlySqlite(reader, clock)
  }

  list(range: Range): Promise<Page> {
    return patiently(this.#clock, () => this.#reader.list(range))
  }

  currentRevision(): Promise<Revision> {
    return patiently(this.#clock, () => this.#reader.revision())
  }

  /** Yields changes up to the newest one and then ends: a reader of the past does not wait for new changes. */
  async *watch(prefix: Key, after: Revision, signal: AbortSignal): AsyncGenerator<ChangeBatch, void> {
    for (let seen = after; !signal.aborted; ) {
      const from = seen
      const batch = await patiently(this.#clock, () => this.#reader.changes(prefix, from))
      if (batch.revision === seen) return
      seen = batch.revision
      yield batch
    }
  }

  async close(): Promise<void> {
    this.#reader.close()
  }
}

async function patiently<T>(clock: Clock, read: () => T): Promise<T> {
  for (let attempt = 0; attempt < busyAttempts; attempt++) {
    const answer: Answer<T> | undefined = tryRead(read)
    if (answer) return answer.value
    await sleep(clock, busyRetryMs)
  }
  throw new StoreUnavailable('the store was locked by another process while it was read')
}
