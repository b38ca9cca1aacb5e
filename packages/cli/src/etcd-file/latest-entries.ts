import { MalformedProtobuf, WireReader } from '@strata/api'
import { type BoltBucket, openBucket } from './bolt-bucket.ts'
import { DamagedFile } from './damaged-file.ts'
import { readMeta } from './meta-page.ts'
import type { RandomAccess } from './random-access.ts'

export interface LatestEntry {
  readonly key: string
  /** Valid until the next entry: its buffer is used again. */
  readonly value: Uint8Array
  readonly revision: number
}

/** A revision of etcd as a key of bbolt: main, `_`, sub, and `t` if the key was deleted in it. */
const revisionBytes = 17
const underscore = 0x5f

/**
 * Every key that exists in a database of etcd, with its latest value. The revisions are read from the newest to the oldest, so
 * that the first one of each key decides, and only the keys are remembered.
 */
export function* latestEntries(file: RandomAccess): Generator<LatestEntry, void> {
  const seen = new Set<string>()
  for (const { key: at, value: bytes } of revisionsOf(file).backwards()) {
    const revision = revisionOf(at)
    const { key, value } = keyValueIn(bytes, revision)
    if (seen.has(key)) continue
    seen.add(key)
    if (at.length === revisionBytes) yield { key, value, revision }
  }
}

/** The revision of the store; 1 if nothing was ever written. */
export function lastRevision(file: RandomAccess): number {
  for (const { key } of revisionsOf(file).backwards()) return revisionOf(key)
  return 1
}

function revisionsOf(file: RandomAccess): BoltBucket {
  const bucket = openBucket(file, readMeta(file), 'key')
  if (bucket) return bucket
  throw new DamagedFile('the file is a bbolt database, but not one of etcd: it has no bucket "key"')
}

function revisionOf(at: Buffer): number {
  const isRevision = (at.length === revisionBytes || at.length === revisionBytes + 1) && at[8] === underscore
  if (!isRevision)
    throw new DamagedFile(
      `the file is damaged: the bucket "key" has the key 0x${at.toString('hex')}, which is no revision`,
    )
  return Number(at.readBigUInt64BE(0))
}

/** The message `mvccpb.KeyValue`, of which only key and value matter. */
function keyValueIn(bytes: Buffer, revision: number): Pick<LatestEntry, 'key' | 'value'> {
  let key = ''
  let value: Uint8Array = new Uint8Array(0)
  try {
    const reader = new WireReader(bytes)
    while (reader.next('KeyValue')) {
      if (reader.field === 1) key = reader.text()
      else if (reader.field === 5) value = reader.bytes()
      else reader.skip()
    }
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error
    throw new DamagedFile(`the file is damaged: revision ${revision} cannot be read: ${error.message}`)
  }
  return { key, value }
}
