import type { AgreementStatus } from '@strata/api'
import type { Revision } from '@strata/server/store'
import type { History } from '../history.ts'
import { aggregatedRecord, agreementPrefix, storageVersionPrefix } from '../keys.ts'
import { parseBytes, recordIn } from './stored-json.ts'

/** The agreement record of an aggregated fleet, as it stood in its own store until the next state. */
export interface OriginState {
  readonly fromMs: number
  /** Infinite for the last one. */
  toMs: number
  readonly revision: Revision
  readonly uid: string
  /** Undefined while there is no record. */
  readonly status: AgreementStatus | undefined
}

export function originStates({ commits }: History): readonly OriginState[] {
  const states: OriginState[] = []
  for (const { atMs, changes } of commits) {
    for (const change of changes) {
      if (change.key !== `${agreementPrefix}${aggregatedRecord}`) continue
      const last = states.at(-1)
      if (last) last.toMs = atMs
      const record = change.kind === 'put' ? recordIn(change.value) : undefined
      const { revision } = change
      const uid = record?.metadata.uid ?? ''
      states.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY, revision, uid, status: record?.status })
    }
  }
  return states
}

/** What names the store of an aggregated fleet: the uid of its namespace kube-system. Empty before there is one. */
export function originNameOf({ commits }: History): string {
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.key === '/registry/namespaces/kube-system' && change.kind === 'put')
        return parseBytes(change.value).metadata.uid
    }
  }
  return ''
}

/** One state of the StorageVersion in the aggregator's store. */
export interface MirrorState {
  readonly atMs: number
  toMs: number
  readonly writer: string
  readonly isGone: boolean
  readonly origins: readonly MirroredState[]
  readonly entries: readonly { readonly apiServerID: string; readonly encodingVersion: string }[]
  readonly common: string | undefined
}

/** What a mirror says of one record. */
export interface MirroredState {
  readonly origin: string
  readonly recordUID: string
  readonly epoch: number
  readonly resourceVersion: string
}

/** Empty lists while there is no such object. */
export function mirrorStates({ commits }: History): readonly MirrorState[] {
  const states: MirrorState[] = []
  for (const { atMs, writer, changes } of commits) {
    for (const change of changes) {
      if (change.key !== `${storageVersionPrefix}${aggregatedRecord}`) continue
      const last = states.at(-1)
      if (last) last.toMs = atMs
      const isGone = change.kind === 'delete'
      const { metadata, status = {} } = change.kind === 'put' ? parseBytes(change.value) : { metadata: {} }
      const origins = JSON.parse(metadata.annotations?.['strata.dev/origins'] ?? '[]')
      const { storageVersions: entries = [], commonEncodingVersion: common } = status
      states.push({ atMs, toMs: Number.POSITIVE_INFINITY, writer, isGone, origins, entries, common })
    }
  }
  return states
}
