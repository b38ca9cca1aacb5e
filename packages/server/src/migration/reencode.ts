import {
  type ApiObject,
  type GroupResource,
  type NamedObject,
  notFound,
  plainKey,
  type StorageReencode,
  type StorageReencodeStatus,
} from '@strata/api'
import { DefinitionChanged, type WriteTicket } from '../coordination/index.ts'
import {
  decodeContinue,
  encodeContinue,
  type Registry,
  rewritten,
  type ServedResource,
} from '../registry/index.ts'
import type { Entry, Key, Revision } from '../store/index.ts'
import { decideRefused, type Rewrite } from './decide-refused.ts'
import { EpochFence, EpochMoved } from './epoch-fence.ts'
import { type FindOptions, findStored, placeOf, type StoredResource } from './find-stored.ts'
import { type Left, whyLeft } from './why-left.ts'

export interface ReencodeParts extends Omit<FindOptions, 'api'> {
  readonly registry: Registry
  readonly decode: (object: ApiObject, resource: ServedResource) => ApiObject
}

/** Objects per transaction (docs/design/agreement.md, "What is stored, proven"). */
const objectsPerCommit = 100
const bytesPerCommit = 1024 * 1024
/** Concurrent transactions. One waits for the disk while the next is prepared. */
const commitsAtOnce = 4
/** How often other clients may write an object while it is about to be rewritten. */
const tries = 8
const defaultLimit = 500
/** The migrator owns fields that defaults add, as through the API. */
const manager = 'strata-migrator'

/**
 * Rewrites a batch of objects in the agreed version, in transactions of many. Each is guarded by the record with that epoch, by
 * the CRD of a custom resource, and by the revision of every object. An object that cannot be rewritten is left as it is, with
 * its reason. Admission is not called: clients see no change but the resourceVersion.
 */
export async function reencode(
  parts: ReencodeParts,
  { spec }: Pick<StorageReencode, 'spec'>,
  signal: AbortSignal,
): Promise<StorageReencodeStatus> {
  const { registry } = parts
  const asked: GroupResource = { group: spec.group ?? '', resource: spec.resource }
  // Every object that was stored before the epoch is in the cache then: later ones are in the epoch's version.
  await registry.cache.barrier.pass(signal)
  const stored = findStored({ ...parts, api: registry.api }, asked)
  if (!stored?.codec) throw notFound(asked, '')
  const { definition } = stored.codec
  if (definition.isCustom) await registry.gate.opening(definition, signal)
  const ticket = registry.gate.enter(definition, stored.codec)
  const batch = new Batch(parts, stored, spec, ticket, signal)
  try {
    return await batch.run()
  } finally {
    ticket.leave()
  }
}

class Batch {
  readonly #parts: ReencodeParts
  readonly #stored: StoredResource
  readonly #spec: StorageReencode['spec']
  readonly #signal: AbortSignal
  readonly #fence: EpochFence
  #examined = 0
  #migrated = 0
  #alreadyCurrent = 0
  #left: NamedObject[] = []
  #revision: Revision = 0

  constructor(
    parts: ReencodeParts,
    stored: StoredResource,
    spec: StorageReencode['spec'],
    ticket: WriteTicket,
    signal: AbortSignal,
  ) {
    this.#parts = parts
    this.#stored = stored
    this.#spec = spec
    this.#signal = signal
    const { store } = parts.registry
    this.#fence = new EpochFence({ store, resource: stored.agreed, wanted: spec, ticket, signal })
  }

  async run(): Promise<StorageReencodeStatus> {
    const { entries, next } = this.#page()
    try {
      await this.#fence.begin()
      await this.#rewrite(this.#staleOf(entries), 1)
    } catch (error) {
      if (!(error instanceof EpochMoved)) throw error
      return this.#status('EpochMoved')
    }
    return this.#status(next === undefined ? 'Done' : 'More', next)
  }

  #page(): { readonly entries: readonly Entry[]; readonly next: string | undefined } {
    const { prefix } = this.#stored
    const { limit, continueToken } = this.#spec
    const after = continueToken ? decodeContinue(prefix, continueToken).after : undefined
    const range = this.#parts.registry.cache.collection(prefix).range(prefix, after)
    const count = Math.min(range.count, limit || defaultLimit)
    const entries = Array.from({ length: count }, (_, index) => range.at(index))
    const last = entries.at(-1)
    const next =
      last && count < range.count ? encodeContinue(prefix, { revision: -1, after: last.key }) : undefined
    return { entries, next }
  }

  #status(outcome: StorageReencodeStatus['outcome'], continueToken?: string): StorageReencodeStatus {
    const { epoch, recordUID } = this.#fence
    return {
      outcome,
      epoch,
      ...(recordUID === undefined ? {} : { recordUID }),
      examined: this.#examined,
      migrated: this.#migrated,
      alreadyCurrent: this.#alreadyCurrent,
      left: this.#left.length,
      ...(this.#left.length > 0 ? { objects: this.#left } : {}),
      ...(continueToken === undefined ? {} : { continueToken }),
      ...(this.#revision > 0 ? { resourceVersion: String(this.#revision) } : {}),
    }
  }

  #staleOf(entries: readonly Entry[]): Entry[] {
    const { codec } = this.#stored
    const { writeKey } = this.#fence
    const stale: Entry[] = []
    for (const entry of entries) {
      this.#examined++
      try {
        const isUnderKey = (entry.under ?? plainKey) === writeKey
        const isCurrent = codec?.storedVersion(entry.value) === this.#spec.encodingVersion
        if (isCurrent && isUnderKey) this.#alreadyCurrent++
        else stale.push(entry)
      } catch (error) {
        this.#leave(entry.key, whyLeft(error))
      }
    }
    return stale
  }

  /** Runs several transactions at once; if one throws, the others end first. */
  async #rewrite(entries: readonly Entry[], attempt: number): Promise<void> {
    const under = new Set<Promise<void>>()
    const failures: unknown[] = []
    try {
      for await (const rewrites of this.#prepared(entries)) {
        if (failures.length > 0) break
        const commit: Promise<void> = this.#commit(rewrites, attempt)
          .catch((error: unknown) => {
            failures.push(error)
          })
          .finally(() => under.delete(commit))
        under.add(commit)
        if (under.size >= commitsAtOnce) await Promise.race(under)
      }
    } finally {
      await Promise.all(under)
    }
    const [failure] = failures
    if (failure !== undefined) throw failure
  }

  /** Splits objects into transactions. Preparing one is synchronous, so there is a pause after each. */
  async *#prepared(entries: readonly Entry[]): AsyncGenerator<readonly Rewrite[]> {
    const { clock } = this.#parts.registry.world
    let rewrites: Rewrite[] = []
    let bytes = 0
    for (let at = 0; at < entries.length; at += objectsPerCommit) {
      const some = entries.slice(at, at + objectsPerCommit)
      const problem = await this.#ready(some)
      for (const entry of some) {
        const value = problem ? this.#leave(entry.key, problem) : this.#valueOf(entry)
        if (!value) continue
        const size = value.length + 2 * entry.key.length
        if (rewrites.length > 0 && (rewrites.length >= objectsPerCommit || bytes + size > bytesPerCommit)) {
          yield rewrites
          rewrites = []
          bytes = 0
        }
        rewrites.push({ entry, value })
        bytes += size
      }
      await new Promise<void>((resolve) => clock.soon(resolve))
      this.#signal.throwIfAborted()
    }
    if (rewrites.length > 0) yield rewrites
  }

  /** Calls the conversion webhook about all of them at once. */
  async #ready(entries: readonly Entry[]): Promise<Left | undefined> {
    const values = entries.map(({ value }) => value)
    try {
      await this.#stored.codec?.ready(values, this.#spec.encodingVersion)
      return undefined
    } catch (error) {
      return whyLeft(error)
    }
  }

  #valueOf(entry: Entry): Uint8Array | undefined {
    const { registry, decode } = this.#parts
    const { encodingVersion } = this.#spec
    const { namespace = '', name } = placeOf(this.#stored, entry.key)
    try {
      const resource = this.#stored.inVersion(encodingVersion)
      // It existed when the gate was passed.
      if (!resource) throw new DefinitionChanged(this.#stored.agreed.resource)
      const options = { target: { namespace, name }, encodingVersion, manager, decode }
      const value = rewritten(registry, resource, entry, options)
      return (
        value ??
        this.#leave(entry.key, {
          reason: 'BeingDeleted',
          message: 'the object is being deleted and has no finalizers',
        })
      )
    } catch (error) {
      if (error instanceof DefinitionChanged) throw error
      return this.#leave(entry.key, whyLeft(error))
    }
  }

  #leave(key: Key, why: Left): undefined {
    this.#left.push({ ...placeOf(this.#stored, key), ...why })
  }

  async #commit(rewrites: readonly Rewrite[], attempt: number): Promise<void> {
    const { store, markWriter } = this.#parts.registry
    const keys = rewrites.map(({ entry }) => entry.key)
    const guards = await this.#fence.guards()
    const under = this.#fence.writeKey
    const outcome = await store.commit(
      {
        writes: [
          ...(markWriter ? [markWriter(...keys)] : []),
          ...rewrites.map(({ entry, value }) => ({ kind: 'put' as const, key: entry.key, value, under })),
        ],
        guards: [...guards, ...rewrites.map(({ entry }) => ({ key: entry.key, revision: entry.revision }))],
      },
      this.#signal,
    )
    if (outcome.outcome === 'committed') {
      this.#migrated += rewrites.length
      this.#revision = Math.max(this.#revision, outcome.revision)
      return
    }
    await this.#fence.broken(outcome.broken)
    const { held, moved } = decideRefused(rewrites, outcome.broken)
    if (attempt >= tries) {
      const why = { reason: 'Conflict', message: 'it is being changed too often' }
      for (const { entry } of held) this.#leave(entry.key, why)
      for (const { key } of moved) this.#leave(key, why)
      return
    }
    if (held.length > 0) await this.#commit(held, attempt + 1)
    this.#examined -= moved.length
    const stale = this.#staleOf(moved)
    if (stale.length > 0) await this.#rewrite(stale, attempt + 1)
  }
}
