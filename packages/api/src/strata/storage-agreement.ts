import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import {
  boolean,
  identityVersion,
  integer,
  objectSchema,
  text,
  textList,
} from '../machinery/identity-version.ts'
import { versionNameOf } from '../meta/names.ts'
import type { ApiObject } from '../meta/object.ts'
import { type PersistedEncoding, persistedVersionsOf, unknownReasons } from './persisted.ts'

/** The entry of one server process for one resource. */
export interface AgreementEntry {
  readonly serverID: string
  /** One run of that server: an entry of an earlier run does not speak for this one. */
  readonly process: string
  /** The version that this server writes. If it refuses writes: the version that it would have to write and cannot. */
  readonly encodingVersion: string
  readonly decodableVersions: readonly string[]
  readonly servedVersions: readonly string[]
  /** Strict: the record fences each write. Loose: it does not, and no result counts as proven. */
  readonly guarantee: 'strict' | 'loose'
  /** The encryption key that this server writes under; `identity` for none. */
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  /** The configured key, while the server does not use it yet because another server may not read it. Otherwise absent. */
  readonly wantedKey?: string
  /** Why this server writes nothing for the sake of keys (rule 17), for people; it refuses writes then. */
  readonly keyProblem?: string
  /** Schema, defaults and codec: two encoders of one version may still write different bytes. */
  readonly encoderFingerprint: string
  /** Agreement needs at least this many servers, as configured on this server (rule 11). Absent if not configured. */
  readonly expectedServers?: number
  /** The vote of the server: the version it would write if it were alone (rule 12). Absent if it does not vote. */
  readonly preferredVersion?: string
  /**
   * Every version that a voting server can write, and how. The server that moves the selection rewrites the entries of all
   * voters in the same transaction, and needs to know what they will write.
   */
  readonly encoders?: readonly AgreementEncoder[]
  /** This server cannot write the selected version. It writes no other, so it writes nothing (rule 12). */
  readonly refusesWrites?: boolean
  /** Whether it is a custom resource: a server without an entry may not have seen the CRD yet. */
  readonly isCustom?: boolean
}

export interface AgreementEncoder {
  readonly encodingVersion: string
  readonly fingerprint: string
}

export type AgreementConditionType =
  | 'AllEncodingVersionsEqual'
  | 'AllServersReported'
  | 'Fenced'
  /** Only with a ballot: whether all servers vote for the selected version. */
  | 'SelectionUnanimous'
  /** Only if something is or was encrypted: whether all servers write with the same key (rule 17). */
  | 'AllWriteKeysEqual'

/** Random bytes that every change of a record renews, as text (agreement.md, rule 19). */
export const recordNonceAnnotation = 'strata.dev/record-nonce'

/** Why there may have been writes that no entry covers. */
export const recordingGapReasons = [
  /** From this epoch on, a server writes without recording it. */
  'ServersDoNotRecord',
  /** The servers that did so are gone since this epoch. */
  'ServersDidNotRecord',
  /** The record was lost, or the resource is older than its record. */
  'RecordMadeAnew',
  /** The store was restored from a backup, or replaced, under running servers. */
  'StoreRestored',
] as const
export type RecordingGapReason = (typeof recordingGapReasons)[number]

/** There may have been writes that no entry covers (rule 18). */
export interface RecordingGap {
  /** The epoch that began with it: proofs of earlier epochs no longer hold. */
  readonly epoch: number
  readonly at: string
  readonly reason: RecordingGapReason
  /** The same as text, with the names of the servers. */
  readonly message: string
}

/** A loose process whose entry another server removed: it may still write for a while, and no guard refuses it. */
export interface LooseMark {
  readonly serverID: string
  readonly process: string
  readonly since: string
  /** The revision of the record in which its entry stood last. */
  readonly recordRevision: number
}

export interface AgreementCondition {
  readonly type: AgreementConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

/** Whether every write is guarded by the record that says so: only then can anything be proven. */
export function isFenced({
  conditions,
}: {
  readonly conditions: readonly Pick<AgreementCondition, 'type' | 'status'>[]
}): boolean {
  return conditions.some(({ type, status }) => type === 'Fenced' && status === 'True')
}

export interface AgreementStatus {
  /** Raised whenever the set of distinct encodings changes (agreement.md, rule 10). Never reset. */
  readonly epoch: number
  /** The distinct encodings of this epoch, sorted; kept while no server runs. */
  readonly encodings: readonly string[]
  /** At the latest since this revision of the store, everything written is in this epoch's encodings. */
  readonly epochRevision?: number
  /** The common encoding version, if every live server has reported and all are equal. */
  readonly agreedVersion?: string
  readonly agreedSince?: string
  /** The version that the voters write. Set by the first voter, and kept while no server runs (rule 12). */
  readonly selectedVersion?: string
  readonly selectedSince?: string
  /** The versions that every server serves, sorted; kept while no server runs. */
  readonly servedVersions?: readonly string[]
  /** IDs of the servers that keep a version from being in `servedVersions`, sorted; a server that has left stays for a while. */
  readonly heldBackBy?: readonly string[]
  /**
   * All encodings that stored objects may be in, the latest first. Grows with the entries, in the commit that stores them, and
   * shrinks only by proof. Absent in records of releases that kept no such list: then it is unknown (`persistedOf`).
   */
  readonly persisted?: readonly PersistedEncoding[]
  /** The latest gap whose writes may still be stored; absent if every write is recorded, or proven to be gone. */
  readonly recordingGap?: RecordingGap
  /** The latest gap that was closed by proof: nothing of it is stored any more. */
  readonly closedRecordingGap?: RecordingGap
  /**
   * Servers without an identity Lease that write without recording it (rule 18), each by its process, sorted. They add and
   * remove themselves; other servers cannot see whether one is still alive.
   */
  readonly unseenProcesses?: readonly string[]
  /** With a mark, nothing is fenced. A server removes it, and raises the epoch, after it has watched it long enough (rule 14). */
  readonly looseUntilSettled?: readonly LooseMark[]
  /** Sorted by serverID. */
  readonly servers: readonly AgreementEntry[]
  readonly conditions: readonly AgreementCondition[]
}

/**
 * The agreement record of one group-resource (agreement.md, "The objects"). Its key is the fence: every
 * strict write of the resource is guarded by this record's revision.
 */
export interface StorageAgreement extends ApiObject {
  spec: {
    readonly group: string
    readonly resource: string
    /** Where objects are stored below the store's root. A server that no longer serves the resource needs it to find them. */
    readonly storagePrefix?: string
  }
  status: AgreementStatus
}

const gapSchema = {
  type: 'object',
  properties: {
    epoch: { ...integer, format: 'int64' },
    at: { type: 'string', format: 'date-time' },
    reason: { ...text, enum: [...recordingGapReasons] },
    message: text,
  },
} as const

export const storageAgreements = defineResource<StorageAgreement>({
  group: 'strata.dev',
  kind: 'StorageAgreement',
  plural: 'storageagreements',
  shortNames: ['agreement', 'agreements'],
  scope: 'Cluster',
  versions: {
    v1alpha1: identityVersion<StorageAgreement>(
      objectSchema({
        spec: { type: 'object', properties: { group: text, resource: text, storagePrefix: text } },
        status: {
          type: 'object',
          required: ['epoch', 'encodings', 'servers', 'conditions'],
          properties: {
            epoch: { ...integer, format: 'int64' },
            encodings: textList,
            epochRevision: { ...integer, format: 'int64' },
            agreedVersion: text,
            agreedSince: { type: 'string', format: 'date-time' },
            selectedVersion: text,
            selectedSince: { type: 'string', format: 'date-time' },
            servedVersions: textList,
            heldBackBy: textList,
            persisted: {
              type: 'array',
              items: {
                type: 'object',
                required: ['encodingVersion', 'writeKey', 'epoch'],
                properties: {
                  encodingVersion: text,
                  writeKey: text,
                  epoch: { ...integer, format: 'int64' },
                  reason: { ...text, enum: [...unknownReasons] },
                },
              },
            },
            recordingGap: gapSchema,
            closedRecordingGap: gapSchema,
            unseenProcesses: textList,
            looseUntilSettled: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  serverID: text,
                  process: text,
                  since: { type: 'string', format: 'date-time' },
                  recordRevision: { ...integer, format: 'int64' },
                },
              },
            },
            servers: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['serverID'],
              items: {
                type: 'object',
                required: ['serverID', 'process', 'encodingVersion', 'decodableVersions'],
                properties: {
                  serverID: text,
                  process: text,
                  encodingVersion: text,
                  decodableVersions: textList,
                  servedVersions: textList,
                  guarantee: { ...text, enum: ['strict', 'loose'] },
                  writeKey: text,
                  readableKeys: textList,
                  wantedKey: text,
                  keyProblem: text,
                  encoderFingerprint: text,
                  expectedServers: { ...integer, format: 'int32' },
                  preferredVersion: text,
                  encoders: {
                    type: 'array',
                    items: { type: 'object', properties: { encodingVersion: text, fingerprint: text } },
                  },
                  refusesWrites: boolean,
                  isCustom: boolean,
                },
              },
            },
            conditions: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  type: text,
                  status: text,
                  lastTransitionTime: text,
                  reason: text,
                  message: text,
                },
              },
            },
          },
        },
      }),
    ),
  },
  preferredStorageVersion: 'v1alpha1',
  storagePrefix: 'strata.dev/storageagreements',
  bootstrap: true,
  columns: [
    nameColumn,
    {
      name: 'Agreed',
      type: 'string',
      description: 'The common encoding version, if any',
      cell: ({ status }) => status?.agreedVersion ?? null,
    },
    {
      name: 'Servers',
      type: 'integer',
      description: 'How many servers have reported',
      cell: ({ status }) => status?.servers.length ?? null,
    },
    {
      name: 'Epoch',
      type: 'integer',
      description: 'How often the set of encodings has changed',
      cell: ({ status }) => status?.epoch ?? null,
    },
    {
      name: 'Stored',
      type: 'string',
      description: 'The versions that stored objects may be in',
      priority: 1,
      cell: ({ status }) => (status ? persistedVersionsOf(status).map(versionNameOf).join(',') : null),
    },
    ageColumn,
  ],
  // Servers write their own entries next to the store; a client (the collector) may only take entries away.
  strategy: {
    verbs: ['get', 'list', 'update', 'watch'],
    whyReadOnly:
      'an agreement record is written only by the API servers, because it fences every write of the resource; a client may only remove, by an update, the entries of servers that no longer exist',
  },
})
