import { type TestContext, test } from 'node:test'
import type { Random } from '@strata/world'
import type { Commit, CommitOutcome, Entry, Key, Revision, Store } from '../store.ts'
import { withPlainValues } from './plain-values.ts'

export interface StoreUnderTest {
  /** Another connection to the same data, as another server would have. */
  open(): Promise<Store>
}

/** Prepares data that only this test writes to. It need not be empty. */
export type SetUp = (t: TestContext) => Promise<StoreUnderTest>

export interface ContractOptions {
  /** Multiplies the sizes of the larger tests. Defaults to STRATA_TEST_SCALE. */
  readonly scale?: number
  /** Whether a watch reports the revisions of changes outside its prefix. Defaults to true. */
  readonly progress?: boolean
  /** Whether connections may break during the tests, so that a watch may repeat one revision. */
  readonly breaks?: boolean
  /** The time after which a hanging test fails. */
  readonly timeoutMs?: number
}

export interface Bench {
  readonly t: TestContext
  readonly options: ContractOptions
  /** Unique to the test: the same data may serve several tests. */
  readonly prefix: Key
  /** Aborted when the test is over. */
  readonly signal: AbortSignal
  /** Opens a connection that is closed when the test is over. */
  open(): Promise<Store>
  /** `size` at the scale of this run. */
  scaled(size: number): number
}

export type Define = (name: string, body: (bench: Bench) => Promise<void>) => void

let prefixes = 0

export function createDefine(store: string, setUp: SetUp, options: ContractOptions): Define {
  const scale = options.scale ?? Number(process.env.STRATA_TEST_SCALE ?? 1)
  const timeout = (options.timeoutMs ?? 60_000) * Math.max(1, scale)
  return (name, body) => {
    void test(`${store}: ${name}`, { timeout }, async (t) => {
      const underTest = await setUp(t)
      const opened: Store[] = []
      const over = new AbortController()
      try {
        await body({
          t,
          options,
          prefix: `/contract/${process.pid}-${prefixes++}/`,
          signal: over.signal,
          scaled: (size) => Math.max(1, Math.round(size * scale)),
          open: async () => {
            const store = await underTest.open()
            opened.push(store)
            return withPlainValues(store)
          },
        })
      } finally {
        // Here and not in `t.after`: the cleanup of the set-up must find the connections closed.
        over.abort()
        await Promise.all(opened.map((store) => store.close()))
      }
    })
  }
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (entry: { readonly value: Uint8Array } | undefined): string | undefined =>
  entry === undefined ? undefined : new TextDecoder().decode(entry.value)

export async function committed(
  store: Store,
  commit: Partial<Commit>,
  signal: AbortSignal,
): Promise<Extract<CommitOutcome, { outcome: 'committed' }>> {
  const outcome = await store.commit({ writes: [], guards: [], ...commit }, signal)
  if (outcome.outcome !== 'committed') throw new Error(`refused: ${JSON.stringify(outcome.broken)}`)
  return outcome
}

export async function refused(
  store: Store,
  commit: Partial<Commit>,
  signal: AbortSignal,
): Promise<Extract<CommitOutcome, { outcome: 'refused' }>> {
  const outcome = await store.commit({ writes: [], guards: [], ...commit }, signal)
  if (outcome.outcome !== 'refused') throw new Error(`committed at ${outcome.revision}`)
  return outcome
}

/** Writes one key and returns its revision. */
export async function put(store: Store, key: Key, value: string, signal: AbortSignal): Promise<Revision> {
  const { revision } = await committed(store, { writes: [{ kind: 'put', key, value: bytes(value) }] }, signal)
  return revision
}

export async function remove(store: Store, key: Key, signal: AbortSignal): Promise<Revision> {
  const { revision } = await committed(store, { writes: [{ kind: 'delete', key }] }, signal)
  return revision
}

export const keysOf = (entries: readonly Entry[], prefix: Key): string[] =>
  entries.map(({ key }) => key.slice(prefix.length))

/** Repeatable random numbers (mulberry32), so that a failing test fails again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { fraction, bytes: (length) => Uint8Array.from({ length }, () => Math.floor(fraction() * 256)) }
}
