import {
  ApiError,
  type ApiObject,
  admissionRegistrationGroup,
  outcomeUnknown,
  plainKey,
  serviceUnavailable,
  tooLarge,
} from '@strata/api'
import { deadline } from '@strata/world'
import { AdmissionRefusal } from '../../admission/index.ts'
import { ConversionPending, UndecodableObject, whenConverted } from '../../codec/index.ts'
import type { WritePermit, WriteTicket } from '../../coordination/index.ts'
import {
  type Commit,
  type CommitOutcome,
  type Entry,
  type Guard,
  type Key,
  OutcomeUnknown,
  readOne,
  storeLimits,
} from '../../store/index.ts'
import { isStorageVersion, storageVersionGuards } from '../kinds/storage-version-guard.ts'
import { cachedEntry, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { inForce, validated } from './admit.ts'
import type { ClientRequester, WriteOptions, WriteWay } from './write-options.ts'

/** The stored object, decoded for this attempt alone: a plan may change it. */
export interface Current {
  readonly entry: Entry
  readonly hub: ApiObject
  /** False if the object certainly has no field that this release does not know. */
  readonly mayHoldUnknown: boolean
}

export interface PlanContext {
  /** The cache may be stale, by a refusal: the plan must read everything else from the store. */
  readonly readStore: boolean
  readonly signal: AbortSignal
}

export type Plan =
  | {
      readonly do: 'put'
      readonly hub: ApiObject
      /** The plan found unknown fields, and keeps them. */
      readonly holdsUnknown?: boolean
      readonly guards?: readonly Guard[]
    }
  | {
      readonly do: 'delete'
      /** The last state of the object, where it differs from the stored one. */
      readonly last?: ApiObject
      readonly guards?: readonly Guard[]
    }

export interface Written {
  /** The stored bytes; for a deletion, the last ones. */
  readonly value: Uint8Array
  /** The revision of the write; for a no-op, of the write before it. */
  readonly revision: number
  readonly created: boolean
}

/** A write that loses this many races is given up: other clients make progress. */
const attempts = 64
/** The limit of a transaction, minus room for keys and guards. */
export const maxValueBytes = storeLimits.bytesPerCommit - 20_000

/**
 * The only way to change an object. `plan` gets the current object and returns what to store. It is called again:
 *
 * - when the commit is refused, because the object, the agreement record or another guarded key has changed;
 * - when it refused the object of the cache: then it gets the object of the store;
 * - when it needed a conversion that was not there: that is requested first.
 *
 * The first attempt uses the cache, which may be stale. That is safe, because the commit is guarded by the revision that was
 * read. It is fair, because a refusal by the plan (not found, conflict) counts only if it is based on the store itself.
 */
export async function writeObject(
  registry: Registry,
  resource: ServedResource,
  key: Key,
  plan: (current: Current | undefined, context: PlanContext) => Plan | Promise<Plan>,
  signal: AbortSignal,
  options: Pick<WriteOptions, 'dryRun' | 'requester'> & WriteWay,
): Promise<Written> {
  const { dryRun, requester } = options
  const ticket = registry.gate.enter(resource.definition, resource.codec)
  try {
    let entry = cachedEntry(registry, resource, key)
    let readStore = false
    for (let attempt = 0; attempt < attempts; attempt++) {
      let wanted: Plan
      // An entry from the store may be newer than what the watch has shown about encoders.
      const mayHoldUnknown =
        entry !== undefined && (readStore || !resource.codec.isKnown(entry.value, entry.revision))
      try {
        const current = entry && { entry, hub: decode(resource, key, entry), mayHoldUnknown }
        wanted = await plan(current, { readStore, signal })
        if (isStorageVersion(resource)) {
          const guards = await storageVersionGuards(registry, resource, key, entry, wanted, {
            readStore,
            signal,
          })
          wanted = { ...wanted, guards: [...(wanted.guards ?? []), ...guards] }
        }
        if (requester !== 'system') {
          const next = wanted.do === 'put' ? wanted.hub : undefined
          const checked = registry.checkWrite({ resource, requester, next, stored: current?.hub })
          if (checked instanceof Promise) await checked
          if (registry.admission.validates) {
            await askValidators(registry, resource, wanted, { ...options, key, entry, requester, signal })
          }
        }
      } catch (error) {
        if (await isAsked(error)) continue
        if (readStore || !(error instanceof ApiError)) throw error
        const seenRevision = entry?.revision
        entry = await readOne(registry.store, key, signal)
        readStore = true
        // The webhook that refused this object would refuse it again.
        if (error instanceof AdmissionRefusal && entry?.revision === seenRevision) throw error
        continue
      }
      // Encoding may need a conversion webhook. The object is final by then, with its time and uid, and admission has seen it.
      // Neither is repeated, or every retry would produce another object to convert.
      const prepare = (): Attempt & { readonly permit: WritePermit } => {
        const permit = ticket.permit()
        const seen = { key, entry, mayHoldUnknown, wanted, permit, dryRun }
        return { permit, ...attemptOf(registry, resource, seen) }
      }
      const { permit, commit, result } = resource.codec.needsWebhook
        ? await whenConverted(prepare)
        : prepare()
      const outcome = await sendCommit(registry, commit, { ticket, permit, signal })
      if (outcome.outcome === 'committed') {
        // A writer mark may stand before it.
        const at = commit.writes.findIndex((write) => write.key === key)
        const revision = outcome.revisions[at] ?? outcome.revision
        if (resource.group === admissionRegistrationGroup) await inForce(registry, revision, signal)
        return result(revision)
      }
      // The refusal carries the current entry of the object. If that guard held, the entry that was read is current.
      const own = outcome.broken.find(({ guard }) => guard.key === key)
      if (own) entry = own.current
      readStore = true
      await ticket.broken(outcome.broken, signal)
    }
    throw serviceUnavailable('the object is being changed too often; try again later', 1)
  } finally {
    ticket.leave()
  }
}

/** Called on every attempt: webhooks allow one change from the stored to the new object, and no other. */
async function askValidators(
  registry: Registry,
  resource: ServedResource,
  wanted: Plan,
  way: WriteWay & {
    readonly dryRun: boolean
    readonly requester: ClientRequester
    readonly key: Key
    readonly entry: Entry | undefined
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { codec, apiVersion } = resource
  const { key, entry } = way
  const hub = wanted.do === 'put' ? wanted.hub : wanted.last
  if (!hub) return
  const { name = '', namespace = '' } = hub.metadata
  const shown = (object: ApiObject): ApiObject => {
    const wire = codec.toWire(object, apiVersion)
    return entry ? { ...wire, metadata: { ...wire.metadata, resourceVersion: String(entry.revision) } } : wire
  }
  await validated(registry, resource, {
    ...way,
    ...{ name, namespace },
    object: () => shown(hub),
    // Decoded again: the plan may have changed its copy.
    oldObject: entry && (() => shown(decode(resource, key, entry))),
  })
}

/** True once the missing conversion was requested: then the write can be retried. */
async function isAsked(error: unknown): Promise<boolean> {
  if (!(error instanceof ConversionPending)) return false
  await error.ask()
  return true
}

interface Attempt {
  readonly commit: Commit
  readonly result: (revision: number) => Written
}

function attemptOf(
  { markWriter }: Registry,
  { codec, definition }: ServedResource,
  seen: {
    readonly key: Key
    readonly entry: Entry | undefined
    readonly mayHoldUnknown: boolean
    readonly wanted: Plan
    readonly permit: WritePermit
    readonly dryRun: boolean
  },
): Attempt {
  const { key, entry, mayHoldUnknown, wanted, permit, dryRun } = seen
  const guards: Guard[] = [
    { key, revision: entry?.revision ?? 'absent' },
    ...permit.guards,
    ...(wanted.guards ?? []),
  ]
  if (wanted.do === 'delete') {
    const value = wanted.last
      ? codec.encode(wanted.last, permit.encodingVersion, mayHoldUnknown)
      : (entry?.value ?? new Uint8Array())
    return {
      commit: { writes: dryRun ? [] : [{ kind: 'delete', key }], guards },
      result: (revision) => ({ value, revision: dryRun ? (entry?.revision ?? 0) : revision, created: false }),
    }
  }
  const holdsUnknown = mayHoldUnknown || wanted.holdsUnknown === true
  const value = codec.encode(wanted.hub, permit.encodingVersion, holdsUnknown)
  if (value.length > maxValueBytes) throw tooLarge(maxValueBytes)
  // Ciphertext differs each time: the plain values and their keys are compared (rule 17).
  const isUnderKey = (entry?.under ?? plainKey) === permit.writeKey
  if (!entry || !isUnderKey || !codec.isCurrent(entry.value, value)) {
    // All servers write the kinds of agreement alike (rule 0), so there is nothing to trace.
    const put = { kind: 'put', key, value, under: permit.writeKey } as const
    const mark = definition.bootstrap ? undefined : markWriter?.(key)
    return {
      // A dry run commits all guards and writes nothing.
      commit: { writes: dryRun ? [] : [...(mark ? [mark] : []), put], guards },
      result: (revision) => ({
        value,
        revision: dryRun ? (entry?.revision ?? 0) : revision,
        created: entry === undefined,
      }),
    }
  }
  // The store confirms a no-op (rule 5): a transaction with all guards and no put. Otherwise a stale cache answers "already
  // current" for an object that another server has since stored in the old version.
  return {
    commit: { writes: [], guards },
    result: () => ({ value: entry.value, revision: entry.revision, created: false }),
  }
}

interface Sending {
  readonly ticket: WriteTicket
  readonly permit: WritePermit
  readonly signal: AbortSignal
}

/** The outcome of the store. If it is unknown, the client is told so. */
export async function sendCommit(
  registry: Registry,
  change: Commit,
  { ticket, permit, signal }: Sending,
): Promise<CommitOutcome> {
  const { withinMs } = permit
  // Only an unguarded write needs the timer.
  const limit = withinMs === undefined ? undefined : deadline(registry.world.clock, withinMs, signal)
  try {
    return await registry.store.commit(change, limit?.signal ?? signal)
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error
    ticket.unknown()
    throw outcomeUnknown(error.message)
  } finally {
    limit?.dispose()
  }
}

/** The error for an object that cannot be decoded names it and its stored version. The object is left alone. */
function decode({ codec, apiVersion }: ServedResource, key: Key, entry: Entry): ApiObject {
  try {
    return codec.decodeIn(entry.value, apiVersion)
  } catch (error) {
    if (error instanceof UndecodableObject)
      throw new ApiError(500, 'StorageReadError', `${key}: ${error.message}`)
    throw error
  }
}
