import { agreementName, type StorageAgreement, storageAgreements, versionNameOf } from '@strata/api'
import { addressOf } from '@strata/client'
import type { Stage } from './stage.ts'

/** What the agreement record of a resource says, with servers and versions by their short names. */
export interface RecordView {
  readonly agreed: string | undefined
  readonly selected: string | undefined
  readonly epoch: number
  readonly writers: readonly Writer[]
}

export interface Writer {
  readonly server: string
  readonly writes: string
  readonly reads: readonly string[]
  /** The version that it votes for; undefined if it does not vote. */
  readonly prefers: string | undefined
  readonly writeKey: string
  readonly readableKeys: readonly string[]
}

export interface ResourceName {
  readonly group: string
  readonly resource: string
}

export async function readRecord(stage: Stage, resource: ResourceName): Promise<RecordView> {
  const { servers } = await stage.control.read()
  const records = stage.client.resource<StorageAgreement>(addressOf(storageAgreements, 'v1alpha1'))
  const { status } = await records.get({ name: agreementName(resource) }, stage.signal)
  return viewRecord(status, servers)
}

export function viewRecord(
  { agreedVersion, selectedVersion, epoch, servers: entries }: StorageAgreement['status'],
  servers: readonly { readonly name: string; readonly serverID: string }[],
): RecordView {
  const short = (version: string | undefined) => (version === undefined ? undefined : versionNameOf(version))
  const writers = entries.map(
    (entry): Writer => ({
      server: servers.find(({ serverID }) => serverID === entry.serverID)?.name ?? entry.serverID,
      writes: versionNameOf(entry.encodingVersion),
      reads: entry.decodableVersions.map(versionNameOf),
      prefers: short(entry.preferredVersion),
      writeKey: entry.writeKey,
      readableKeys: entry.readableKeys,
    }),
  )
  return {
    ...{ agreed: short(agreedVersion), selected: short(selectedVersion), epoch },
    writers: writers.toSorted((a, b) => (a.server < b.server ? -1 : 1)),
  }
}

/** `strata-1 writes v2, strata-2 and strata-3 write v1`. */
export function describeWriters({ writers }: RecordView): string {
  const byVersion = Map.groupBy(writers, ({ writes }) => writes)
  return [...byVersion]
    .map(
      ([version, some]) =>
        `${listed(some.map(({ server }) => server))} ${some.length === 1 ? 'writes' : 'write'} ${version}`,
    )
    .join(', ')
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** The versions that some server writes, and every server reads. */
export function isReadByAll({ writers }: RecordView): boolean {
  return writers.every(({ writes }) => writers.every(({ reads }) => reads.includes(writes)))
}
