import type { World } from '@strata/world'
import {
  type Commit,
  type CommitOutcome,
  OutcomeUnknown,
  type Store,
  StoreUnavailable,
  type WriteFault,
} from '../store/index.ts'

/** This process cannot repair it: the file must be restored while no server runs. */
const isLasting = (fault: WriteFault | undefined): boolean => fault === 'damaged' || fault === 'replaced'

/** Since when the store cannot be written, and its last error. */
export interface BlockedWrites {
  readonly fault: WriteFault
  readonly message: string
  readonly sinceWallMs: number
  readonly failures: number
}

/**
 * Whether the store can be written, learned from the commits that the server makes anyway: it renews its Lease every few
 * seconds. Reads show nothing: they succeed on a full disk.
 */
export class WriteHealth {
  readonly #world: Pick<World, 'clock' | 'log'>
  readonly #failures = new Map<WriteFault, number>()
  #blocked: BlockedWrites | undefined
  /** The store can be written again. */
  onRecovered: (past: BlockedWrites) => void = () => {}

  constructor(world: Pick<World, 'clock' | 'log'>) {
    this.#world = world
  }

  get problem(): string | undefined {
    if (!this.#blocked) return undefined
    const { fault, message, sinceWallMs, failures } = this.#blocked
    const since = new Date(sinceWallMs).toISOString()
    return `the store cannot be written since ${since} (${failures} failures); ${isLasting(fault) ? 'objects read before may still be served' : 'reads are served'}. Last error: ${message}`
  }

  /** Why the store cannot be written now. */
  get fault(): WriteFault | undefined {
    return this.#blocked?.fault
  }

  /** Commits that failed so far, by fault. */
  get failures(): ReadonlyMap<WriteFault, number> {
    return this.#failures
  }

  /** Returns the same store, with its commits and reads observed. Callers do not wait for that. */
  observe(store: Store): Store {
    return {
      read: (keys, signal) => this.#look(store.read(keys, signal)),
      list: (range, signal) => this.#look(store.list(range, signal)),
      currentRevision: (signal) => this.#look(store.currentRevision(signal)),
      watch: (prefix, after, signal) => store.watch(prefix, after, signal),
      compact: (revision, signal) => store.compact(revision, signal),
      close: () => store.close(),
      commit: (commit, signal) => {
        const committing = store.commit(commit, signal)
        committing.then(
          (outcome) => this.#answered(commit, outcome),
          (error: unknown) => this.#failed(error),
        )
        return committing
      },
    }
  }

  /** Reads find a damaged or replaced file first, and a server that cannot read commits little. */
  #look<T>(reading: Promise<T>): Promise<T> {
    reading.catch((error: unknown) => {
      if (error instanceof StoreUnavailable && isLasting(error.fault)) this.#failed(error)
    })
    return reading
  }

  #failed(error: unknown): void {
    if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) return
    const { fault, message } = error
    if (fault === undefined) return
    this.#failures.set(fault, (this.#failures.get(fault) ?? 0) + 1)
    const { clock, log } = this.#world
    const { sinceWallMs = clock.wallMs(), failures = 0 } = this.#blocked ?? {}
    // Logged once, and again when the fault changes.
    if (this.#blocked && isLasting(this.#blocked.fault) && !isLasting(fault)) return
    if (this.#blocked?.fault !== fault) log.error('the store cannot be written', { fault, error: message })
    this.#blocked = { fault, message, sinceWallMs, failures: failures + 1 }
  }

  /** Only a put needs space. A confirmation writes nothing, and an etcd at its quota accepts a delete. */
  #answered({ writes }: Commit, { outcome }: CommitOutcome): void {
    if (!this.#blocked || isLasting(this.#blocked.fault)) return
    if (outcome !== 'committed' || !writes.some(({ kind }) => kind === 'put')) return
    const past = this.#blocked
    this.#blocked = undefined
    this.#world.log.info('the store can be written again', {
      seconds: Math.round((this.#world.clock.wallMs() - past.sinceWallMs) / 1000),
      failures: past.failures,
    })
    this.onRecovered(past)
  }
}
