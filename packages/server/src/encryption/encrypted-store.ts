import type { GroupResource } from '@strata/api'
import { type Clock, type Log, sleep } from '@strata/world'
import { clearTextSeal, isSealed, markSealed, sealText } from '../codec/index.ts'
import {
  type Change,
  type ChangeBatch,
  type Commit,
  type CommitOutcome,
  type Key,
  type Store,
  StoreUnavailable,
  type Write,
} from '../store/index.ts'
import type { Encryption } from './encryption.ts'
import { identityKey } from './key-id.ts'
import type { KeyRing } from './key-ring.ts'
import { SealedValues, type StoredValue } from './sealed-values.ts'
import { CannotOpen, type Opened } from './sealing-key.ts'

/** A value that could not be opened for a while can be opened now: readers must read it again. */
class OpenedLate extends Error {
  override readonly name = 'OpenedLate'
}

/** How often opening is retried for values whose KMS did not answer. */
const retryMs = 5_000

/** Values with another problem are retried once per this many rounds: a destroyed key may be restored. */
const lastingEvery = 12

const unexpected = Buffer.from(clearTextSeal)

/**
 * A store whose values are encrypted in the store below, and plain to its users. It stands between codec and store, so that no
 * other part knows about encryption. A value that cannot be opened is passed on as it is, with the reason: one such object must
 * not hide all others.
 */
export class EncryptedStore implements Store {
  readonly #below: Store
  readonly #encryption: Encryption
  readonly #resourceOf: (key: Key) => GroupResource | undefined
  readonly #clock: Clock
  readonly #log: Log
  /** Aborted when the server ends or the store is closed; nothing is retried after that. */
  readonly #ended = new AbortController()
  readonly #sealed = new SealedValues()
  #isTryingLater = false
  #retries = 0
  /** A value can be opened by now, and no watch was there to be notified. */
  #isReadAnew = false
  readonly #watches = new Set<() => void>()

  constructor(
    below: Store,
    encryption: Encryption,
    parts: {
      readonly clock: Clock
      readonly log: Log
      /** No retries after it is aborted. */
      readonly signal: AbortSignal
      readonly resourceOf: (key: Key) => GroupResource | undefined
    },
  ) {
    this.#below = below
    this.#encryption = encryption
    this.#resourceOf = parts.resourceOf
    this.#clock = parts.clock
    this.#log = parts.log
    const end = (): void => this.#ended.abort(parts.signal.reason)
    if (parts.signal.aborted) end()
    parts.signal.addEventListener('abort', end, { once: true })
    encryption.onChange(() => void this.#tryAgain(this.#sealed.all))
  }

  async read(keys: readonly Key[], signal: AbortSignal) {
    const reading = await this.#below.read(keys, signal)
    for (const [index, key] of keys.entries()) {
      // It was deleted by then.
      if (reading.entries[index] === undefined) this.#sealed.passed(key, reading.revision + 1)
    }
    const entries = reading.entries.map((entry) => entry && this.#open(entry))
    return { ...reading, entries: await settled(entries) }
  }

  async list(range: Parameters<Store['list']>[0], signal: AbortSignal) {
    const page = await this.#below.list(range, signal)
    return { ...page, entries: await settled(page.entries.map((entry) => this.#open(entry))) }
  }

  currentRevision(signal: AbortSignal) {
    return this.#below.currentRevision(signal)
  }

  async commit({ writes, guards }: Commit, signal: AbortSignal): Promise<CommitOutcome> {
    const outcome = await this.#below.commit(
      { writes: writes.map((each) => this.#seal(each)), guards },
      signal,
    )
    if (outcome.outcome === 'committed') return outcome
    const broken = outcome.broken.map(({ guard, current }) => {
      const opened = current && this.#open(current)
      return opened instanceof Promise
        ? opened.then((entry) => ({ guard, current: entry }))
        : { guard, current: opened }
    })
    const [first, ...others] = await settled(broken)
    return first ? { ...outcome, broken: [first, ...others] } : outcome
  }

  async *watch(prefix: Key, after: number, signal: AbortSignal): AsyncIterable<ChangeBatch> {
    // Also for values that were read before this watch and could be opened in between.
    if (this.#isReadAnew) {
      this.#isReadAnew = false
      throw new OpenedLate('values that could not be decrypted can be decrypted now')
    }
    const ended = new AbortController()
    const end = (): void => ended.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const readAnew = (): void =>
      ended.abort(new OpenedLate('values that could not be decrypted can be decrypted now'))
    this.#watches.add(readAnew)
    try {
      for await (const batch of this.#below.watch(prefix, after, ended.signal))
        yield await this.#openBatch(batch)
      if (ended.signal.reason instanceof OpenedLate && !signal.aborted) throw ended.signal.reason
    } finally {
      this.#watches.delete(readAnew)
      signal.removeEventListener('abort', end)
    }
  }

  compact(revision: number, signal: AbortSignal) {
    return this.#below.compact(revision, signal)
  }

  close() {
    this.#ended.abort(new Error('the store is closed'))
    return this.#below.close()
  }

  #ringOf(key: Key): KeyRing | undefined {
    const resource = this.#resourceOf(key)
    return resource && this.#encryption.ringOf(resource)
  }

  #seal(write: Write): Write {
    if (write.kind !== 'put') return write
    const ring = this.#ringOf(write.key)
    if (!ring) return write
    const { under, value, key } = write
    // Without the key, a value that is reported as encrypted would be stored in clear text.
    if (under === undefined) throw new Error(`a write of ${key} does not say which key it is under`)
    if (under === identityKey) return write
    try {
      return { kind: 'put', key, value: ring.seal(under, value, key) }
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error
      // The KMS did not answer: nothing was written, and the write may be retried.
      throw new StoreUnavailable(error.message, { cause: error })
    }
  }

  /**
   * Returns the same batch if nothing in it is encrypted. Batches are opened one after the other, to keep the order of the watch.
   */
  async #openBatch(batch: ChangeBatch): Promise<ChangeBatch> {
    const opened = batch.changes.map((change) => {
      if (change.kind === 'put') return this.#open(change)
      this.#sealed.passed(change.key, change.revision)
      return change
    })
    const isSame = opened.every((change, index) => change === batch.changes[index])
    return isSame ? batch : { ...batch, changes: await settled<Change>(opened) }
  }

  #open<T extends StoredValue>(stored: T): T | Promise<T> {
    const ring = this.#ringOf(stored.key)
    if (!ring) return stored
    const take = ({ value, under }: Opened): T => {
      this.#sealed.passed(stored.key, stored.revision)
      return under === identityKey ? stored : { ...stored, value, under }
    }
    const leave = (error: unknown): T => this.#leaveSealed(stored, error)
    try {
      const opened = ring.open(stored.value, stored.key)
      return opened instanceof Promise ? opened.then(take, leave) : take(opened)
    } catch (error) {
      return leave(error)
    }
  }

  #leaveSealed<T extends StoredValue>(stored: T, error: unknown): T {
    const why = error instanceof Error ? error.message : String(error)
    // Clear text is not read without the identity provider: an attacker with write access to the store could inject it.
    const value = isSealed(stored.value) ? stored.value : Buffer.concat([unexpected, stored.value])
    const text = `unable to transform key ${JSON.stringify(stored.key)}: ${why}`
    markSealed(value, { why: text, isPassing: isPassing(error) })
    if (isPassing(error) && !this.#sealed.hasPassing)
      this.#log.warn('a stored value cannot be decrypted for now', { key: stored.key, why })
    this.#sealed.note(stored, isPassing(error))
    this.#tryLater()
    return { ...stored, value, under: sealText(value) }
  }

  #tryLater(): void {
    if (this.#isTryingLater || this.#ended.signal.aborted || this.#sealed.size === 0) return
    this.#isTryingLater = true
    sleep(this.#clock, retryMs, this.#ended.signal).then(
      async () => {
        const isTimeForAll = ++this.#retries % lastingEvery === 0
        await this.#tryAgain(isTimeForAll ? this.#sealed.all : this.#sealed.passing)
        this.#isTryingLater = false
        this.#tryLater()
      },
      () => {},
    )
  }

  /**
   * If one of the values can be opened by now, readers read everything again. All values are tried, in parallel. Otherwise: a key
   * was destroyed and its KMS is asked for it again and again, and the values behind it, which could be opened, are never tried.
   */
  async #tryAgain(values: readonly StoredValue[]): Promise<void> {
    const opened = await Promise.all(values.map((each) => this.#canOpen(each)))
    const late = values.filter((each, index) => opened[index] && this.#sealed.take(each))
    if (late.length === 0) return
    this.#isReadAnew = this.#watches.size === 0
    for (const readAnew of [...this.#watches]) readAnew()
  }

  async #canOpen(stored: StoredValue): Promise<boolean> {
    try {
      await this.#ringOf(stored.key)?.open(stored.value, stored.key)
      return true
    } catch (error) {
      // The reason may have changed.
      if (this.#sealed.has(stored)) this.#sealed.note(stored, isPassing(error))
      return false
    }
  }
}

const isPassing = (error: unknown): boolean => error instanceof CannotOpen && error.isPassing

/** Synchronous, unless some value is a promise. */
function settled<T>(all: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  return all.some((each) => each instanceof Promise) ? Promise.all(all) : (all as readonly T[])
}
