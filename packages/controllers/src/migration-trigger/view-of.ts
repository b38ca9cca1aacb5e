import {
  type CustomResourceDefinition,
  commonWriteKey,
  type GroupResource,
  isFrozenResource,
  persistedOf,
  type StorageAgreement,
  type StorageVersion,
  storageVersionHash,
  unknownHash,
  unknownVersion,
} from '@strata/api'
import { decideTarget, type TargetDecision } from '../migrator/index.ts'
import type { CommonHash, RecordView, StorageVersionView } from './source-view.ts'

const absent = { kind: 'absent' } as const
const nothing = { identities: [], hashes: [], isNamed: false, definition: absent } as const

/** A record as hashes. The migrator's own rules decide whether all servers agree. */
export function recordView(agreement: StorageAgreement, kind: string): RecordView {
  const { metadata, spec, status } = agreement
  const resource = { group: spec.group, resource: spec.resource }
  const decision = decideTarget({
    ...nothing,
    ...{ resource, agreement: { kind: 'found', object: agreement }, storageVersion: absent },
  })
  const writeKey = commonWriteKey(status.servers)
  const hashOf = (encodingVersion: string): string => storageVersionHash(encodingVersion, kind)
  return {
    ...{ kind: 'record', uid: metadata.uid ?? '', createdAt: metadata.creationTimestamp ?? '' },
    epoch: status.epoch,
    persisted: persistedOf(status).map(({ encodingVersion, writeKey: key, epoch }) => ({
      hash: encodingVersion === unknownVersion ? unknownHash : hashOf(encodingVersion),
      ...{ writeKey: key, epoch },
    })),
    common: commonOf(decision, hashOf),
    writeKey,
    isFenced: decision.agreed && decision.target.fenced,
    ...(isFrozenResource(resource) ? { isFrozen: true } : {}),
  }
}

interface Beside {
  /** Ids of the servers that have a Lease. */
  readonly identities: readonly string[]
  readonly definition: CustomResourceDefinition | undefined
  /** An APIService assigns the group to another server. */
  readonly isServedElsewhere: boolean
}

/** A StorageVersion as hashes: KEP-2339, "Consuming the StorageVersion API". */
export function storageVersionView(
  resource: GroupResource,
  storageVersion: StorageVersion,
  kind: string,
  { identities, definition, isServedElsewhere }: Beside,
): StorageVersionView {
  const { storageVersions = [], conditions = [] } = storageVersion.status
  const hashOf = (encodingVersion: string): string => storageVersionHash(encodingVersion, kind)
  const decision = decideTarget({
    ...{ ...nothing, resource, agreement: absent, identities, isServedElsewhere },
    storageVersion: { kind: 'found', object: storageVersion },
    definition: definition ? { kind: 'found', object: definition } : absent,
  })
  const movedAt = conditions.find(({ type }) => type === 'AllEncodingVersionsEqual')?.lastTransitionTime
  return {
    kind: 'storageversion',
    hashes: [...new Set(storageVersions.map(({ encodingVersion }) => hashOf(encodingVersion)))].sort(),
    common: commonOf(decision, hashOf),
    movedAt: movedAt || undefined,
  }
}

function commonOf(decision: TargetDecision, hashOf: (encodingVersion: string) => string): CommonHash {
  if (decision.agreed) return { agreed: true, hash: hashOf(decision.target.encodingVersion ?? '') }
  const { because, waitingIn } = decision
  return { agreed: false, because, waits: waitingIn !== undefined }
}
