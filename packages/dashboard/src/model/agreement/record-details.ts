import {
  type AgreementCondition,
  groupResourceText,
  persistedOf,
  plainKey,
  type StorageAgreement,
  versionNameOf,
} from '@strata/api'
import { namedServers, type ServerStatus, shortId, shownServer } from '@strata/insight'
import { newestFirst } from '../version-colours.ts'

export interface EntryDetails {
  readonly server: string
  readonly writes: string
  /** Another server writes a newer version. */
  readonly isOld: boolean
  readonly reads: readonly string[]
  readonly serves: readonly string[]
  readonly guarantee: string
  /** The key that it writes under; undefined if it does not encrypt. */
  readonly key: string | undefined
  readonly process: string
  readonly encoder: string
}

/** The agreement record of one resource, as a page of a book. */
export interface RecordDetails {
  readonly resource: string
  readonly name: string
  readonly revision: string
  readonly epoch: number
  readonly epochRevision: number | undefined
  readonly fence: { readonly isClosed: boolean; readonly because: string }
  readonly entries: readonly EntryDetails[]
  readonly conditions: readonly AgreementCondition[]
  /** What may be stored: versions and keys, the latest first. */
  readonly persisted: readonly {
    readonly version: string
    readonly key: string | undefined
    readonly epoch: number
    /** A newer version is written. */
    readonly isOld: boolean
  }[]
  readonly gap: string | undefined
}

export function describeRecord(record: StorageAgreement, servers: readonly ServerStatus[]): RecordDetails {
  const { metadata, spec, status } = record
  const fenced = status.conditions.find(({ type }) => type === 'Fenced')
  const [newest] = status.servers.map((each) => versionNameOf(each.encodingVersion)).sort(newestFirst)
  const nameOf = (id: string): string => {
    const server = servers.find(({ serverID }) => serverID === id)
    return server ? shownServer(server) : shortId(id)
  }
  return {
    resource: groupResourceText(spec),
    name: metadata.name ?? '',
    revision: metadata.resourceVersion ?? '',
    epoch: status.epoch,
    epochRevision: status.epochRevision,
    fence: { isClosed: fenced?.status === 'True', because: fenced?.message ?? '' },
    entries: inOrder(status.servers, servers).map((each) => ({
      server: nameOf(each.serverID),
      writes: versionNameOf(each.encodingVersion),
      isOld: versionNameOf(each.encodingVersion) !== newest,
      reads: each.decodableVersions.map(versionNameOf),
      serves: each.servedVersions.map(versionNameOf),
      guarantee: each.guarantee,
      key: shownKey(each.writeKey),
      process: shortId(each.process),
      encoder: each.encoderFingerprint.slice(0, 12),
    })),
    conditions: status.conditions.map((each) => ({
      ...each,
      message: namedServers(each.message, servers),
    })),
    persisted: persistedOf(status).map(({ encodingVersion, writeKey, epoch }) => ({
      ...{ version: versionNameOf(encodingVersion), key: shownKey(writeKey), epoch },
      isOld: versionNameOf(encodingVersion) !== newest,
    })),
    gap: status.recordingGap?.message,
  }
}

const shownKey = (key: string): string | undefined => (key === plainKey ? undefined : key)

/** As the columns of the matrix. */
function inOrder(
  entries: StorageAgreement['status']['servers'],
  servers: readonly ServerStatus[],
): StorageAgreement['status']['servers'] {
  const place = (id: string): number => servers.findIndex(({ serverID }) => serverID === id)
  return entries.toSorted((a, b) => place(a.serverID) - place(b.serverID))
}
