import {
  type AgreementStatus,
  agreementName,
  groupResourceText,
  plainKey,
  type StorageAgreement,
  type StorageVersionStatus,
} from '@strata/api'
import {
  agreementKind,
  agreementPrefix,
  storageVersionKind,
  storageVersionPrefix,
} from '@strata/server/coordination'
import {
  clearTextSeal,
  isSealed,
  type PlacedResource,
  ResourcePlaces,
  resourcePrefix,
  sealText,
  storedVersionIn,
  type Writer,
} from '@strata/server/history-for-test'
import type { Change, Entry, Key, Revision } from '@strata/server/store'
import type { HistoryException, HistoryFindings, ResourceFindings } from './findings.ts'
import { type Encrypted, type ExceptionReason, judgePut } from './judge-put.ts'
import { readWriterMark, type WriterMark } from './read-writer-mark.ts'

type Put = Change & { readonly kind: 'put' }

/** All exceptions are counted; this many are listed by default. */
const exceptionsListed = 100

/**
 * Takes the history of a store, revision by revision, and checks every put of a resource against the agreement record right
 * before it. It is synchronous, and keeps only the records, their StorageVersions, and counts.
 */
export class HistoryAudit {
  readonly #places: ResourcePlaces
  readonly #limit: number
  readonly #records = new Map<string, AgreementStatus>()
  /** By record, also a deleted one: its resource and highest epoch. A recreated record must not begin below it. */
  readonly #known = new Map<string, { readonly resource: string; readonly highestEpoch: number }>()
  readonly #shown = new Map<string, StorageVersionStatus>()
  readonly #tallies = new Map<string, Tally>()
  readonly #exceptions: HistoryException[] = []
  readonly #missingKeys = new Set<string>()
  #exempt = 0
  /** The writer mark of the previous revision, if its put has a revision of its own. */
  #mark: (WriterMark & { readonly revision: Revision }) | undefined

  constructor({
    known,
    limit = exceptionsListed,
  }: { known: readonly PlacedResource[]; limit?: number | undefined }) {
    this.#places = new ResourcePlaces(known)
    this.#limit = limit
  }

  /** Learns from records, of any revision, the prefixes of objects whose keys do not name their resource. */
  placeBy(records: readonly Entry[]): void {
    for (const entry of records) {
      const place = placeOf(agreementKind.decode(entry))
      if (place) this.#places.add(place)
    }
  }

  /** Takes the state before the first change: records and their StorageVersions. */
  begin(entries: readonly Entry[]): void {
    for (const entry of entries) this.#learn(entry.key, entry, true)
  }

  /** Takes changes in order, all those of a revision together. */
  take(changes: readonly Change[]): void {
    let at = 0
    while (at < changes.length) {
      const revision = changes[at]?.revision
      let end = at
      while (changes[end]?.revision === revision) end++
      this.#takeRevision(changes.slice(at, end))
      at = end
    }
  }

  findings(
    seen: Pick<HistoryFindings, 'afterRevision' | 'toRevision' | 'whole' | 'compactedRevision'>,
  ): HistoryFindings {
    const resources = [...this.#tallies.values()]
      .map(({ findings }) => findings)
      .sort((a, b) => (a.resource < b.resource ? -1 : 1))
    const sum = (count: (each: ResourceFindings) => number): number =>
      resources.reduce((total, each) => total + count(each), 0)
    return {
      ...seen,
      puts: sum(({ puts }) => puts),
      marked: sum(({ marked }) => marked),
      ambiguous: sum(({ ambiguous }) => ambiguous),
      unseen: sum(({ unseen }) => unseen),
      missingKeys: [...this.#missingKeys].sort(),
      exceptions: sum(({ exceptions }) => exceptions),
      exempt: this.#exempt,
      resources,
      exceptionList: [...this.#exceptions],
    }
  }

  #takeRevision(changes: readonly Change[]): void {
    const before = this.#mark
    this.#mark = undefined
    const writers = new Map<Key, Writer>()
    for (const change of changes) {
      const [next, ...rest] = before?.keys ?? []
      if (before && next === change.key && change.revision === before.revision + 1) {
        writers.set(next, before.writer)
        if (rest.length > 0) this.#mark = { ...before, keys: rest, revision: change.revision }
      }
      const mark = readWriterMark(change)
      if (!mark) continue
      for (const key of mark.keys) writers.set(key, mark.writer)
      // Its puts come next, unless they are among these.
      const [first] = mark.keys
      if (!changes.some(({ key }) => key === first)) this.#mark = { ...mark, revision: change.revision }
    }
    for (const change of changes) {
      if (change.kind === 'put') this.#judge(change, writers.get(change.key))
    }
    // Afterwards: a put is judged by the state before it.
    for (const change of changes) {
      if (change.kind === 'put') this.#learn(change.key, change)
      else this.#forget(change)
    }
  }

  #judge(put: Put, writer: Writer | undefined): void {
    const resource = this.#places.find(put.key)
    if (!resource) return
    if (resource.bootstrap) {
      this.#exempt++
      return
    }
    const name = agreementName(resource)
    const tally = this.#tally(name, groupResourceText(resource))
    const apiVersion = storedVersionIn(put.value)
    const recorded = { record: this.#records.get(name), shown: this.#shown.get(name) }
    const judged = judgePut(apiVersion, writer, recorded, encryptedIn(put))
    tally.put(put.revision, apiVersion ?? 'none', writer !== undefined)
    if (judged.verdict === 'ambiguous') tally.ambiguous++
    if (judged.verdict === 'unseen') {
      tally.unseen++
      this.#missingKeys.add(judged.seal === clearTextSeal ? plainKey : judged.seal)
    }
    if (judged.verdict !== 'exception') return
    const { verdict: _, ...why } = judged
    this.#except(tally, put, { ...why, ...(writer ? { writer } : {}) })
  }

  #except(
    tally: Tally,
    { key, revision }: Pick<Put, 'key' | 'revision'>,
    why: Pick<HistoryException, 'reason' | 'message' | 'writer' | 'guarantee'> & { reason: ExceptionReason },
  ): void {
    tally.exceptions++
    if (this.#exceptions.length >= this.#limit) return
    this.#exceptions.push({ resource: tally.resource, key, revision, ...why })
  }

  /** The key was deleted. No server deletes a record: its epoch must never decrease. */
  #forget({ key, revision }: Pick<Change, 'key' | 'revision'>): void {
    if (key.startsWith(storageVersionPrefix)) this.#shown.delete(key.slice(storageVersionPrefix.length))
    if (!key.startsWith(agreementPrefix)) return
    const name = key.slice(agreementPrefix.length)
    const before = this.#records.get(name)
    this.#records.delete(name)
    const known = this.#known.get(name)
    if (!before || !known) return
    const tally = this.#tally(name, known.resource)
    tally.recordChanges++
    const message = `the record was deleted in epoch ${before.epoch}`
    this.#except(tally, { key, revision }, { reason: 'RecordDeleted', message })
  }

  /** The key has a new value. */
  #learn(key: Key, entry: Entry, isOld = false): void {
    if (key.startsWith(storageVersionPrefix)) {
      const name = key.slice(storageVersionPrefix.length)
      this.#shown.set(name, storageVersionKind.decode(entry).status)
    } else if (key.startsWith(agreementPrefix)) {
      this.#learnRecord(key.slice(agreementPrefix.length), entry, isOld)
    }
  }

  #learnRecord(name: string, entry: Entry, isOld: boolean): void {
    const before = this.#records.get(name)
    const highest = this.#known.get(name)?.highestEpoch ?? 0
    const record = agreementKind.decode(entry)
    const { spec, status } = record
    const place = placeOf(record)
    if (place) this.#places.add(place)
    this.#records.set(name, status)
    const resource = groupResourceText(spec)
    this.#known.set(name, { resource, highestEpoch: Math.max(highest, status.epoch) })
    if (isOld) return
    const tally = this.#tally(name, resource)
    tally.recordChanges++
    if ((status.recordingGap?.epoch ?? 0) > (before?.recordingGap?.epoch ?? 0)) tally.recordingGaps++
    // Reported once when the epoch decreases, not for each change until it has caught up.
    if (status.epoch < (before?.epoch ?? highest)) {
      const message = `went back from epoch ${before?.epoch ?? highest} to ${status.epoch}`
      this.#except(tally, entry, { reason: 'EpochWentBack', message })
    }
  }

  #tally(name: string, resource: string): Tally {
    let tally = this.#tallies.get(name)
    if (!tally) {
      tally = new Tally(resource)
      this.#tallies.set(name, tally)
    }
    return tally
  }
}

function placeOf({ spec }: StorageAgreement): PlacedResource | undefined {
  const { group, resource, storagePrefix } = spec
  return storagePrefix === undefined
    ? undefined
    : { group, resource, prefix: resourcePrefix({ storagePrefix }), bootstrap: false }
}

function encryptedIn({ value, under }: Put): Encrypted {
  // Checked first: a decrypting store passes on values that it cannot open, with their seal as the key.
  if (isSealed(value)) return { seal: sealText(value) }
  return under === undefined ? {} : { under }
}

/** The counts of one resource. */
class Tally {
  readonly resource: string
  ambiguous = 0
  unseen = 0
  exceptions = 0
  recordChanges = 0
  recordingGaps = 0
  readonly #storedVersions = new Map<string, number>()
  #puts = 0
  #marked = 0
  #first: Revision | undefined
  #last: Revision | undefined

  constructor(resource: string) {
    this.resource = resource
  }

  put(revision: Revision, apiVersion: string, isMarked: boolean): void {
    this.#puts++
    if (isMarked) this.#marked++
    this.#storedVersions.set(apiVersion, (this.#storedVersions.get(apiVersion) ?? 0) + 1)
    this.#first ??= revision
    this.#last = revision
  }

  get findings(): ResourceFindings {
    const { resource, ambiguous, unseen, exceptions, recordChanges, recordingGaps } = this
    return {
      resource,
      puts: this.#puts,
      storedVersions: Object.fromEntries([...this.#storedVersions].sort()),
      marked: this.#marked,
      ambiguous,
      unseen,
      exceptions,
      ...(this.#first === undefined ? {} : { fromRevision: this.#first }),
      ...(this.#last === undefined ? {} : { toRevision: this.#last }),
      recordChanges,
      recordingGaps,
    }
  }
}
