import type { StorageAgreement } from '@strata/api'
import { builtInPlaces, HistoryAudit, type HistoryException } from '@strata/server/history'
import type { Change, Store } from '@strata/server/store'
import { deadline } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { type LoadedKind, loadedBeacons } from './loaded-kind.ts'

export const beaconsPrefix = '/registry/lighthouse.example.dev/beacons/'

/** What was stored of one beacon, as its bytes say, not as a server tells. */
export interface StoredBeacon {
  readonly revision: number
  readonly name: string
  readonly apiVersion: string
  readonly colour: string | undefined
}

/** What the agreement record said from `revision` on. */
export interface RecordState {
  readonly revision: number
  readonly epoch: number
  readonly agreedVersion: string | undefined
  /** By server. */
  readonly encodings: Readonly<Record<string, string>>
}

export interface History {
  readonly changes: readonly Change[]
  readonly puts: readonly StoredBeacon[]
  readonly deletes: readonly { readonly revision: number; readonly name: string }[]
  readonly records: readonly RecordState[]
  /** What `strata audit-history` finds fault with, of this kind. */
  readonly violations: readonly HistoryException[]
}

/** Every change that the store has ever had. Nothing may have been compacted. */
export async function readHistory(store: Store, kind: LoadedKind = loadedBeacons): Promise<History> {
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
  return judge(changes, kind)
}

const parse = <T>(value: Uint8Array): T => JSON.parse(Buffer.from(value).toString()) as T

/** What was stored of the kind, and what the audit of histories has to say about it. */
function judge(changes: readonly Change[], { group, plural }: LoadedKind): History {
  const prefix = `/registry/${group}/${plural}/`
  const agreementKey = `/registry/strata.dev/storageagreements/${group}.${plural}`
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
    const stored = parse<{ apiVersion: string; spec: { colour?: string } }>(change.value)
    puts.push({ revision, name, apiVersion: stored.apiVersion, colour: stored.spec.colour })
  }
  const violations = exceptionList.filter(({ resource }) => resource === `${plural}.${group}`)
  return { changes, puts, deletes, records, violations }
}

function stateOf({ status }: StorageAgreement, revision: number): RecordState {
  const { epoch, agreedVersion, servers } = status
  const encodings = Object.fromEntries(
    servers.map(({ serverID, encodingVersion }) => [serverID, encodingVersion]),
  )
  return { revision, epoch, agreedVersion, encodings }
}

/** What is there at the end, by name. */
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
