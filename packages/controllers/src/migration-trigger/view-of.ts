import {
  type CustomResourceDefinition,
  discoveryDocHashes,
  type GroupResource,
  groupResourceText,
  leases,
  namespaces,
  type StorageAgreement,
  type StorageVersion,
  storageAgreements,
  storageVersionBallots,
  storageVersions,
  unknownVersion,
} from '@strata/api'
import { decideTarget, type TargetDecision } from '../migrator/index.ts'
import type { CommonHash, RecordView, StorageVersionView } from './source-view.ts'
import { storageVersionHash } from './storage-version-hash.ts'

const frozen = new Set(
  [namespaces, leases, storageAgreements, storageVersions, storageVersionBallots, discoveryDocHashes].map(
    groupResourceText,
  ),
)
const absent = { kind: 'absent' } as const
const nothing = { identities: [], hashes: [], isNamed: false, definition: absent } as const

/** What a record says, in hashes: the migrator's own rules tell whether all agree. */
export function recordView(agreement: StorageAgreement, kind: string): RecordView {
  const { metadata, spec, status } = agreement
  const resource = { group: spec.group, resource: spec.resource }
  const decision = decideTarget({
    ...nothing,
    ...{ resource, agreement: { kind: 'found', object: agreement }, storageVersion: absent },
  })
  const { written, persistedVersions, recordingGap } = status
  const [, writeKey] = status.encodings.length === 1 ? (status.encodings[0]?.split(' ') ?? []) : []
  const hashOf = (encodingVersion: string): string => storageVersionHash(encodingVersion, kind)
  return {
    ...{ kind: 'record', uid: metadata.uid ?? '', createdAt: metadata.creationTimestamp ?? '' },
    epoch: status.epoch,
    ...(recordingGap ? { gapEpoch: recordingGap.epoch } : {}),
    ...(written
      ? {
          written: {
            since: written.since,
            encodings: written.encodings.map(({ encodingVersion, writeKey: key, epoch }) => ({
              ...{ hash: hashOf(encodingVersion), writeKey: key, epoch },
            })),
          },
        }
      : {}),
    ...(persistedVersions && !persistedVersions.includes(unknownVersion)
      ? { persisted: persistedVersions.map(hashOf) }
      : {}),
    common: commonOf(decision, hashOf),
    ...(writeKey === undefined ? {} : { writeKey }),
    isFenced: decision.agreed && decision.target.fenced,
    ...(frozen.has(groupResourceText(resource)) ? { isFrozen: true } : {}),
  }
}

interface Beside {
  /** Ids of the servers that have a Lease. */
  readonly identities: readonly string[]
  readonly definition: CustomResourceDefinition | undefined
  /** Another server has the group. */
  readonly isServedElsewhere: boolean
}

/** What a StorageVersion says: seed 003, "Consuming the StorageVersion API". */
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
    ...(movedAt ? { movedAt } : {}),
  }
}

function commonOf(decision: TargetDecision, hashOf: (encodingVersion: string) => string): CommonHash {
  if (decision.agreed) return { agreed: true, hash: hashOf(decision.target.encodingVersion ?? '') }
  const { because, waitingIn } = decision
  return { agreed: false, because, ...(waitingIn === undefined ? {} : { waits: true }) }
}
