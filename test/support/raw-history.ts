import type { StorageAgreement } from '@strata/api'
import { builtInPlaces } from '@strata/server/history-for-test'
import type { Change, Store } from '@strata/server/store'
import { deadline } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { HistoryException } from '../history-audit/findings.ts'
import { HistoryAudit } from '../history-audit/history-audit.ts'
import { type LoadedKind, loadedBeacons, loadedPrefix, loadedRecordName } from './loaded-kind.ts'

export const beaconsPrefix: string = loadedPrefix(loadedBeacons)

/** One stored state of a beacon, from the bytes in the store. */
export interface StoredBeacon {
  readonly revision: number
  readonly name: string
  readonly apiVersion: string
  readonly colour: string | undefined
}

/** The agreement record from `revision` on. */
export interface RecordState {
  readonly revision: number
  readonly epoch: number
  readonly agreedVersion: string | undefined
  /** By server. */
  readonly encodings: Readonly<Record<string, string>>
  /** The version that voters write. */
  readonly selectedVersion: string | undefined
  /** By server: what it votes for, or, of one that does not vote, what it writes. */
  readonly candidates: Readonly<Record<string, string>>
}

export interface History {
  readonly changes: readonly Change[]
  readonly puts: readonly StoredBeacon[]
  readonly deletes: readonly { readonly revision: number; readonly name: string }[]
  readonly records: readonly RecordState[]
  /** The findings of the history audit for this kind. */
  readonly violations: readonly HistoryException[]
}

/** The history of the objects of one kind. Nothing may have been compacted. */
export async function readHistory(store: Store, kind: LoadedKind = loadedBeacons): Promise<History> {
  return historyOf(await readChanges(store), kind)
}

/** Every change that the store has ever had. */
export async function readChanges(store: Store): Promise<Change[]> {
  const limit = deadline(nodeClock, 60_000)
  const changes: Change[] = []
  // Both homes call their empty state revision 1.
  let seen = 1
  try {
    const newest = await store.currentRevision(limit.signal)
    for await (const batch of store.watch('/registry/', seen, limit.signal)) {
      // After a broken connection one revision may come again.
      changes.push(...batch.changes.filter(({ revision }) => revision > seen))
      seen = batch.revision
      if (seen >= newest) break
    }
    if (seen < newest) throw new Error(`the history ended at revision ${seen} of ${newest}`)
  } finally {
    limit.dispose()
  }
  return changes
}

const parse = <T>(value: Uint8Array): T => JSON.parse(Buffer.from(value).toString()) as T

/** Reads the history of the kind, and audits it. */
export function historyOf(changes: readonly Change[], kind: LoadedKind): History {
  const prefix = loadedPrefix(kind)
  const agreementKey = `/registry/strata.dev/storageagreements/${loadedRecordName(kind)}`
  const puts: StoredBeacon[] = []
  const deletes: { revision: number; name: string }[] = []
  const records: RecordState[] = []
  const audit = new HistoryAudit({ known: builtInPlaces, limit: Number.POSITIVE_INFINITY })
  audit.take(changes)
  const { exceptionList } = audit.findings({ afterRevision: 1, toRevision: 1, whole: true })
  for (const change of changes) {
    const { key, revision } = change
    if (key === agreementKey) {
      if (change.kind === 'delete') throw new Error(`the agreement record was deleted at ${revision}`)
      records.push(stateOf(parse(change.value), revision))
    }
    if (!key.startsWith(prefix)) continue
    const name = key.slice(key.lastIndexOf('/') + 1)
    if (change.kind === 'delete') {
      deletes.push({ revision, name })
      continue
    }
    const stored = parse<{ apiVersion: string }>(change.value)
    puts.push({ revision, name, apiVersion: stored.apiVersion, colour: kind.colourIn(stored) })
  }
  const { group, plural } = kind
  const own = group === '' ? plural : `${plural}.${group}`
  const violations = exceptionList.filter(({ resource }) => resource === own)
  return { changes, puts, deletes, records, violations }
}

function stateOf({ status }: StorageAgreement, revision: number): RecordState {
  const { epoch, agreedVersion, selectedVersion, servers } = status
  const encodings = Object.fromEntries(
    servers.map(({ serverID, encodingVersion }) => [serverID, encodingVersion]),
  )
  const candidates = Object.fromEntries(
    servers.map((each) => [each.serverID, each.preferredVersion ?? each.encodingVersion]),
  )
  return { revision, epoch, agreedVersion, encodings, selectedVersion, candidates }
}

/** The final state, by name. */
export function finalBeacons({ puts, deletes }: History): ReadonlyMap<string, StoredBeacon> {
  const final = new Map<string, StoredBeacon>()
  for (const put of puts) final.set(put.name, put)
  for (const { name, revision } of deletes) {
    if ((final.get(name)?.revision ?? 0) < revision) final.delete(name)
  }
  return final
}

export const countVersions = (puts: readonly StoredBeacon[]): Readonly<Record<string, number>> =>
  puts.reduce<Record<string, number>>((counts, { apiVersion }) => {
    const name = apiVersion.slice(apiVersion.lastIndexOf('/') + 1)
    counts[name] = (counts[name] ?? 0) + 1
    return counts
  }, {})
