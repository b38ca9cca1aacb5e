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
  /** The store names the key of each value. */
  readonly store: Store
  readonly clock: Clock
  /** Resolves when this server knows every CRD that was created before. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
  /** Records that a resource without writers is empty; true if it is recorded and nothing can have been stored since. */
  readonly forgetEmpty: (resource: GroupResource, signal: AbortSignal) => Promise<boolean>
  /** All stored objects are in one version and under one key, as read in that epoch: the record may drop all others. */
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

/** How much of the store is held at once, approximately; and how many objects. */
const pageBytes = 2 * 1024 * 1024
const firstPage = 100
const largestPage = 2_000
/** How often the past may be compacted while it is read. */
const attempts = 3

/**
 * Reads every object of a resource at one revision, and counts how they are stored. The record decides what that proves: in one
 * fenced epoch every write is in its encoding, so no stale objects can exist besides the counted ones.
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

/** The agreed encoding, and the uid of its record: one that was lost and recreated counts its epochs from 1. */
interface AgreedInRecord extends AgreedEncoding {
  readonly recordUID: string
}

function agreedIn(stored: StoredRecord | undefined): AgreedInRecord | undefined {
  const agreed = agreedEncoding(stored?.record.status)
  return agreed && { ...agreed, recordUID: stored?.record.metadata.uid ?? '' }
}

/** The read began and ended in one epoch of one record, in which every write could be committed only in its encoding. */
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
    // Its CRD may have been created through another server a moment ago.
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
      // Only for a read that takes longer than two compactions: it restarts at the newest revision.
      if (!(error instanceof RevisionCompacted)) throw error
      if (attempt >= attempts)
        throw expired(`the store compacted the revision that was being read: ${error.message}`)
    }
  }
}

/** Reads page by page, all at the revision of the first; other work runs in between. */
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

/** As many as fit, if the next objects are as large as the last. */
function pageAfter(entries: number, bytes: number): number {
  const each = Math.max(1, bytes / Math.max(1, entries))
  return Math.max(10, Math.min(largestPage, Math.floor(pageBytes / each)))
}
