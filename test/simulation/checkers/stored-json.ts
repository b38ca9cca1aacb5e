import type {
  AgreementStatus,
  DiscoveryDocHash,
  Lease,
  StorageAgreement,
  StorageVersion,
  StorageVersionBallot,
} from '@strata/api'

// What stands in the store, read from its bytes without a function of the product: a decoder that lies to the servers must
// not lie to those who check them. Types are the product's, and nothing else is (`independent-checkers.test.ts`).

// biome-ignore lint/suspicious/noExplicitAny: whatever was stored.
type Json = any

const text = new TextDecoder()

/** Many checkers look at the same bytes, and none changes what it reads from them. */
const parsed = new WeakMap<Uint8Array, Json>()

export function parseBytes(value: Uint8Array): Json {
  const known = parsed.get(value)
  if (known !== undefined) return known
  const read = JSON.parse(text.decode(value))
  parsed.set(value, read)
  return read
}

export function recordIn(value: Uint8Array): StorageAgreement {
  const { status = {}, ...rest } = parseBytes(value)
  const { servers = [], conditions = [], encodings = [], epoch = 0 } = status
  return { ...rest, status: { ...status, servers, conditions, encodings, epoch } }
}

export function projectionIn(value: Uint8Array): StorageVersion {
  const { status = {}, ...rest } = parseBytes(value)
  return { ...rest, status }
}

export const ballotIn = (value: Uint8Array): StorageVersionBallot => parseBytes(value)
export const leaseIn = (value: Uint8Array): Lease => parseBytes(value)
export const reportsIn = (value: Uint8Array): readonly DiscoveryDocHash[] => parseBytes(value).hashes ?? []

/** The name of the record and of the StorageVersion of a resource. */
export const recordNameOf = (group: string, resource: string): string => `${group || 'core'}.${resource}`

/** The name of an unknown version, and of an unknown key. */
export const unknown = 'Unknown'

export interface MayBeStored {
  readonly encodingVersion: string
  readonly writeKey: string
  readonly epoch: number
}

type Remembering = Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'>

/** The encodings in `status.persisted`. If the list lacks an encoding of its own epoch, the rest is unknown too. */
export function mayBeStored({ epoch, encodings, persisted }: Remembering): readonly MayBeStored[] {
  const named = persisted ?? []
  const written = encodings
    .filter((each) => each !== 'unrecorded')
    .map((each): MayBeStored => {
      const [encodingVersion = '', writeKey = ''] = each.split(' ')
      return { encodingVersion, writeKey, epoch }
    })
  const isSame = (a: MayBeStored, b: MayBeStored): boolean =>
    a.encodingVersion === b.encodingVersion && a.writeKey === b.writeKey && a.epoch === b.epoch
  const isComplete = written.every((each) => named.some((other) => isSame(each, other)))
  if (persisted && isComplete) return persisted
  return [...named, ...written, { encodingVersion: unknown, writeKey: unknown, epoch: epoch - 1 }]
}

/** The keys that something may be under. */
export const keysMayBeStored = (status: Remembering): readonly string[] => [
  ...new Set(mayBeStored(status).map(({ writeKey }) => writeKey)),
]

/** Whether a server with those keys opens what is under that one. Which keys a KMS opens is known to it alone. */
export const opens = (readableKeys: readonly string[], key: string): boolean =>
  readableKeys.includes(key) || readableKeys.includes(`${key.slice(0, key.lastIndexOf(':'))}:*`)

const annotationOf = ({ metadata }: Lease, name: string): string | undefined =>
  metadata.annotations?.[`strata.dev/${name}`]

/** Every resource of its program has an entry. */
export const isRegistered = (lease: Lease): boolean => annotationOf(lease, 'registered') === 'true'

/** Whether a Strata server wrote the Lease, and not another program. */
export const isOfOurs = (lease: Lease): boolean =>
  annotationOf(lease, 'records-writes') === 'false' || annotationOf(lease, 'process') !== undefined

/** The keys by which the server of a Lease reads a resource; undefined if the Lease states none. */
export function keysReadBy(lease: Lease, group: string, resource: string): readonly string[] | undefined {
  const said = annotationOf(lease, 'encryption-keys')
  if (said === undefined) return undefined
  const rules: { readonly resources: string[]; readonly reads: string[] }[] = JSON.parse(said)
  const own = group === '' ? resource : `${resource}.${group}`
  for (const pattern of [own, `*.${group}`, '*.*']) {
    const reads = rules.filter(({ resources }) => resources.includes(pattern)).flatMap((each) => each.reads)
    if (reads.length > 0) return [...new Set(reads)]
  }
  return ['identity']
}
