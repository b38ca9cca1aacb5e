import {
  ApiError,
  expired,
  type GroupResource,
  groupResourceText,
  plainKey,
  type StorageCensusStatus,
} from '@strata/api'
import type { Clock } from '@strata/world'
import { type Key, type Revision, RevisionCompacted, type Store } from '../store/index.ts'
import { type AgreedEncoding, agreedEncoding } from './agreed-encoding.ts'
import { CensusTally } from './census-tally.ts'
import {
  type FindOptions,
  findStored,
  readRecord,
  type StoredRecord,
  type StoredResource,
  storedByRecord,
} from './find-stored.ts'

export interface CensusParts extends FindOptions {
  /** It says under which key each value lies there. */
  readonly store: Store
  readonly clock: Clock
  /** Resolves when this server has heard of everything that was defined before. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /**
   * Nothing was found. Has the record of a resource that no server writes say so; true if it does, and nothing can have been
   * stored since.
   */
  readonly forgetEmpty: (resource: GroupResource, signal: AbortSignal) => Promise<boolean>
  /** Everything stored is in one version, as was read in that epoch: the record may forget all others. */
  readonly settle: (
    resource: GroupResource,
    proof: {
      readonly recordUID: string
      readonly epoch: number
      readonly encodingVersion: string
      readonly writeKey: string
    },
    signal: AbortSignal,
  ) => Promise<void>
}

export interface CensusQuestion extends GroupResource {
  readonly maxObjects: number
}

/** How much of the store is held at once, about; and how many objects of it. */
const pageBytes = 2 * 1024 * 1024
const firstPage = 100
const largestPage = 2_000
/** How often it may turn out that the past was compacted while it was read. */
const attempts = 3

/**
 * Reads every object of a resource as it was at one revision, and says how they are stored. What that proves depends on the
 * record: in one fenced epoch every write is in its encoding, so that what was counted as stale when the epoch stood is all
 * there can be.
 */
export async function takeCensus(
  parts: CensusParts,
  question: CensusQuestion,
  signal: AbortSignal,
): Promise<StorageCensusStatus> {
  const resource = await locate(parts, question, signal)
  const before = agreedIn(await readRecord(parts.store, resource.agreed, signal))
  const { tally, revision } = await countAll(parts, resource, before, question.maxObjects, signal)
  const after = agreedIn(await readRecord(parts.store, resource.agreed, signal))
  const isEmpty = !before && tally.total === 0 && (await parts.forgetEmpty(resource.agreed, signal))
  const proven = isEmpty || isProven(before, after)
  const status: StorageCensusStatus = {
    resourceVersion: String(revision),
    total: tally.total,
    encodings: tally.encodings,
    unreadable: tally.unreadable,
    ...(before
      ? {
          ...{ epoch: before.epoch, agreedVersion: before.encodingVersion, fenced: before.fenced },
          ...(before.recordUID === '' ? {} : { recordUID: before.recordUID }),
          ...(before.writeKey === undefined ? {} : { writeKey: before.writeKey }),
          stale: tally.stale,
        }
      : {}),
    ...(tally.objects.length > 0 ? { objects: tally.objects } : {}),
    proven,
  }
  if (before && proven && tally.stale === 0 && tally.unreadable === 0) {
    const { recordUID, epoch, encodingVersion, writeKey = plainKey } = before
    await parts.settle(resource.agreed, { recordUID, epoch, encodingVersion, writeKey }, signal)
  }
  return status
}

/** What servers agree on, and in which record: one that was lost and made anew counts its epochs from 1. */
interface AgreedInRecord extends AgreedEncoding {
  readonly recordUID: string
}

function agreedIn(stored: StoredRecord | undefined): AgreedInRecord | undefined {
  const agreed = agreedEncoding(stored?.record.status)
  return agreed && { ...agreed, recordUID: stored?.record.metadata.uid ?? '' }
}

/** The reading began and ended in one epoch of one record, in which no write could be committed otherwise. */
export function isProven(before: AgreedInRecord | undefined, after: AgreedInRecord | undefined): boolean {
  if (!before || !after) return false
  const isSame = before.recordUID === after.recordUID && before.epoch === after.epoch
  return isSame && before.fenced && after.fenced
}

async function locate(
  parts: CensusParts,
  asked: GroupResource,
  signal: AbortSignal,
): Promise<StoredResource> {
  let found = findStored(parts, asked)
  if (!found) {
    // It may have been defined through another server a moment ago.
    await parts.catchUp(signal)
    found = findStored(parts, asked)
  }
  if (found) return found
  const record = await readRecord(parts.store, asked, signal)
  const stored = record && storedByRecord(asked, record)
  if (!stored) {
    const text = groupResourceText(asked)
    throw new ApiError(404, 'NotFound', `this server does not know the resource ${text}`, {})
  }
  return stored
}

async function countAll(
  parts: CensusParts,
  resource: StoredResource,
  agreed: AgreedEncoding | undefined,
  maxObjects: number,
  signal: AbortSignal,
): Promise<{ readonly tally: CensusTally; readonly revision: Revision }> {
  for (let attempt = 1; ; attempt++) {
    const tally = new CensusTally({ resource, agreed, maxObjects })
    try {
      return { tally, revision: await readAll(parts, resource.prefix, tally, signal) }
    } catch (error) {
      // Only a reading that takes longer than two compactions: it begins anew at what is newest by then.
      if (!(error instanceof RevisionCompacted)) throw error
      if (attempt >= attempts)
        throw expired(`the store compacted the revision that was being read: ${error.message}`)
    }
  }
}

/** A page at a time, all at the revision of the first; between two, others have their turn. */
async function readAll(
  { store, clock }: Pick<CensusParts, 'store' | 'clock'>,
  prefix: Key,
  tally: CensusTally,
  signal: AbortSignal,
): Promise<Revision> {
  let revision: Revision | undefined
  let after: Key | undefined
  let limit = firstPage
  for (;;) {
    signal.throwIfAborted()
    const page = await store.list({ prefix, limit, after, revision }, signal)
    revision = page.revision
    let bytes = 0
    for (const entry of page.entries) {
      tally.add(entry)
      bytes += entry.value.length
    }
    if (page.remaining === 0) return revision
    after = page.entries.at(-1)?.key
    limit = pageAfter(page.entries.length, bytes)
    await new Promise<void>((resolve) => clock.soon(resolve))
  }
}

/** As many as fit, if the next ones are as large as those were. */
function pageAfter(entries: number, bytes: number): number {
  const each = Math.max(1, bytes / Math.max(1, entries))
  return Math.max(10, Math.min(largestPage, Math.floor(pageBytes / each)))
}
