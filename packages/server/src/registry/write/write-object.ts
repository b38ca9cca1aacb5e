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

/** What stands in the store, decoded for this attempt alone: a plan may change it. */
export interface Current {
  readonly entry: Entry
  readonly hub: ApiObject
  /** False if the object is known to have no field that this release does not know, without a look at it. */
  readonly mayHoldUnknown: boolean
}

export interface PlanContext {
  /** The cache has turned out to be behind: what else the plan looks at must come from the store. */
  readonly readStore: boolean
  readonly signal: AbortSignal
}

export type Plan =
  | {
      readonly do: 'put'
      readonly hub: ApiObject
      /** The plan has found fields that this release does not know, and keeps them. */
      readonly holdsUnknown?: boolean
      readonly guards?: readonly Guard[]
    }
  | {
      readonly do: 'delete'
      /** What the object was in its last moment, where that differs from what is stored. */
      readonly last?: ApiObject
      readonly guards?: readonly Guard[]
    }

export interface Written {
  /** What is stored now; for a deletion, what was stored last. */
  readonly value: Uint8Array
  /** Of the write; for a no-op, of the write before it. */
  readonly revision: number
  readonly created: boolean
}

/** A write that keeps losing races is given up after this many: someone else is making progress. */
const attempts = 64
/** What a transaction takes, with room for keys and guards. */
export const maxValueBytes = storeLimits.bytesPerCommit - 20_000

/**
 * The one way in which an object is changed. `plan` looks at what stands and says what should stand; it is
 * called again whenever the store says that something else stands by now.
 *
 * The first look is at the cache, which may be behind. That is safe, because the commit is guarded by what
 * was seen; and it is fair, because a plan's refusal (not found, conflict) counts only once it was based on
 * the store itself.
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
      // What comes from the store itself may be newer than what the watch has told about who encodes how.
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
          registry.checkWrite({ resource, requester, next, stored: current?.hub })
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
        // Whoever has refused just this would refuse it again.
        if (error instanceof AdmissionRefusal && entry?.revision === seenRevision) throw error
        continue
      }
      // To encode it somebody may have to be asked. What shall stand is decided by then, with the time and the uid in it,
      // and admission has seen it: neither happens again, or the next question would be another one, and the next.
      const prepare = (): Attempt & { readonly permit: WritePermit } => {
        const permit = ticket.permit()
        const seen = { key, entry, mayHoldUnknown, wanted, permit, dryRun }
        return { permit, ...attemptOf(registry, resource, seen) }
      }
      const { permit, commit, result } = resource.codec.needsWebhook
        ? await whenConverted(prepare)
        : prepare()
      const outcome = await send(registry, commit, { ticket, permit, signal })
      if (outcome.outcome === 'committed') {
        // A mark of the writer stands before it.
        const at = commit.writes.findIndex((write) => write.key === key)
        const revision = outcome.revisions[at] ?? outcome.revision
        if (resource.group === admissionRegistrationGroup) await inForce(registry, revision, signal)
        return result(revision)
      }
      // The refusal carries what stands at the object's key. If that guard held, what we saw is current.
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

/** On every attempt: what they allow is the change from what stands to what is about to stand, and no other. */
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
    // Decoded once more: the plan may have changed what it was given.
    oldObject: entry && (() => shown(decode(resource, key, entry))),
  })
}

/** True once somebody was asked for what was missing: then it can be tried again. */
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
  // Ciphertext is another each time: what is compared is what it says, and which key it is under (rule 17).
  const isUnderKey = (entry?.under ?? plainKey) === permit.writeKey
  if (!entry || !isUnderKey || !codec.isCurrent(entry.value, value)) {
    // What agreement is made of is written by everybody alike (rule 0), and there is nothing to trace.
    const put = { kind: 'put', key, value, under: permit.writeKey } as const
    const mark = definition.bootstrap ? undefined : markWriter?.(key)
    return {
      // A dry run asks the store whether everything would hold, and writes nothing.
      commit: { writes: dryRun ? [] : [...(mark ? [mark] : []), put], guards },
      result: (revision) => ({
        value,
        revision: dryRun ? (entry?.revision ?? 0) : revision,
        created: entry === undefined,
      }),
    }
  }
  // A no-op is confirmed by the store (rule 5): a transaction with all guards and no put. Otherwise a stale
  // cache answers "already current" for an object that another server has since stored in the old version.
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

async function send(
  registry: Registry,
  change: Commit,
  { ticket, permit, signal }: Sending,
): Promise<CommitOutcome> {
  const { withinMs } = permit
  // A timer more, and only where there is no guard.
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

/** An object that cannot be decoded is named, with the version it is stored in, and is left alone. */
function decode({ codec, apiVersion }: ServedResource, key: Key, entry: Entry): ApiObject {
  try {
    return codec.decodeIn(entry.value, apiVersion)
  } catch (error) {
    if (error instanceof UndecodableObject)
      throw new ApiError(500, 'StorageReadError', `${key}: ${error.message}`)
    throw error
  }
}
