import type { StorageAgreement } from '@strata/api'
import type { BytesSight, StoredBytes } from '../../stored/stored-bytes.ts'
import { whyItMayPass } from './decide-passing.ts'
import { type Readers, whyReadable, whyReadableByRecord } from './decide-readers.ts'

export type DeletionDecision =
  | { readonly do: 'save and delete'; readonly bytes: StoredBytes }
  | { readonly do: 'refuse'; readonly because: string }

/** The agreement record of the resource, of servers that have one. */
export type RecordSight =
  | {
      readonly kind: 'read'
      readonly spec: Pick<StorageAgreement['spec'], 'storagePrefix'>
      readonly status: RecordFields
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'not allowed' }

type RecordFields = Pick<StorageAgreement['status'], 'servers' | 'recordingGap' | 'closedRecordingGap'>

export interface DeletionFacts {
  /** Undefined without a store. */
  readonly sight: BytesSight | undefined
  readonly keys: readonly string[]
  /** Why it is not known that the store is of this cluster; undefined if it is. */
  readonly strangeness: string | undefined
  /** The server compares the revision of the bytes, given as a precondition, as Strata's do: no other bytes are deleted then. */
  readonly comparesRevision: boolean
  readonly readers: Readers
  readonly record: RecordSight
}

/** Whether the stored bytes of an object may be deleted: only if no server reads them, and only after they are in a file. */
export function decideDeletion(facts: DeletionFacts): DeletionDecision {
  const { sight, keys, strangeness, readers, record } = facts
  const refuse = (because: string): DeletionDecision => ({ do: 'refuse', because })
  if (sight === undefined)
    return refuse(
      'its bytes could not be saved, because no API shows them: name the store with --etcd-servers, or with --etcd-snapshot',
    )
  const { source, found, doubt } = sight
  if (strangeness !== undefined)
    return refuse(`it is not known that ${source} is of this cluster: ${strangeness}`)
  if (doubt !== undefined)
    return refuse(`the bytes in ${source} may not be what is stored: ${doubt}; or name ${etcdItself}`)
  const [bytes, ...others] = found
  if (bytes === undefined)
    return refuse(`${source} has nothing at ${keys.join(' or ')}: its bytes could not be saved`)
  if (others.length > 0)
    return refuse(
      `${source} has ${found.map(({ key }) => key).join(' and ')}, and it is not known which of them it is`,
    )
  const because =
    whyOthers(facts, sight) ??
    whyReadable(readers) ??
    whyNotByRecord(record, bytes.read) ??
    whyItMayPass({ ...bytes, messages: readers.servers.map(({ message }) => message) })
  return because === undefined ? { do: 'save and delete', bytes } : refuse(because)
}

const etcdItself = 'etcd itself with --etcd-servers'

/** Why a snapshot may have other bytes than would be deleted. */
function whyOthers({ comparesRevision, record }: DeletionFacts, { isLive }: BytesSight): string | undefined {
  if (isLive) return undefined
  if (!comparesRevision)
    return `a snapshot may have other bytes than are stored now, and this API server does not compare them: name ${etcdItself}`
  if (record.kind !== 'read')
    return `whether the store was restored since the snapshot is unknown, because no record of the resource could be read: name ${etcdItself}`
  const { recordingGap, closedRecordingGap } = record.status
  const gap = [recordingGap, closedRecordingGap].find((each) => each && repeats.has(each.reason))
  return gap === undefined
    ? undefined
    : `the store was restored or replaced at ${gap.at}, so a revision of the snapshot may have other bytes now: name ${etcdItself}`
}

/** Revisions that were given before may have been given again. */
const repeats: ReadonlySet<string> = new Set(['StoreRestored', 'RecordMadeAnew'])

function whyNotByRecord(
  record: RecordSight,
  read: Parameters<typeof whyReadableByRecord>[1],
): string | undefined {
  if (record.kind === 'not allowed')
    return 'the record of the resource, which says what each server can read, may not be read: it needs the verb get of storageagreements.strata.dev'
  return record.kind === 'read' ? whyReadableByRecord(record.status.servers, read) : undefined
}
