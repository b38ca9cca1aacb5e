import {
  type AgreementEntry,
  type AgreementStatus,
  plainKey,
  type StorageVersionStatus,
  unrecordedEncoding,
} from '@strata/api'
import type { Writer } from '@strata/server/history-for-test'

/** The state of a resource right before a put. */
export interface Recorded {
  /** The agreement record. */
  readonly record: AgreementStatus | undefined
  /** The StorageVersion that showed it. */
  readonly shown: StorageVersionStatus | undefined
}

/** Each with its meaning; README.md lists them all. */
export const exceptionReasons = [
  /** The bytes name no version. */
  'Unreadable',
  /** No server had an entry. */
  'NothingRecorded',
  /** The writer had no entry, though others had. */
  'NoEntry',
  /** The same, and the record said that some server writes without recording it (rule 18). */
  'Unrecorded',
  /** The entry belonged to another process of the server. */
  'OtherProcess',
  /** The entry said that this server writes nothing. */
  'RefusesWrites',
  /** The writer's entry named another version; without a writer mark, every entry did. */
  'OtherVersion',
  /** The writer's entry named another key (rule 17); without a writer mark, every entry did. */
  'OtherKey',
  /** The record called another version agreed. */
  'NotAgreed',
  /** The StorageVersion differed from the record. */
  'ShownOtherwise',
  /** The epoch of the record decreased (rule 10). */
  'EpochWentBack',
  /** The record was deleted, and with it the knowledge about stored objects. */
  'RecordDeleted',
] as const
export type ExceptionReason = (typeof exceptionReasons)[number]

export type Judgement =
  | { readonly verdict: 'recorded' }
  /** There is no writer mark, and the entries named this version and another one. */
  | { readonly verdict: 'ambiguous' }
  /** Encrypted, and the auditor does not have the key: neither right nor wrong. */
  | { readonly verdict: 'unseen'; readonly seal: string }
  | {
      readonly verdict: 'exception'
      readonly reason: ExceptionReason
      readonly message: string
      /** The guarantee in the writer's entry: no guard protects writes of a loose server (rule 14). */
      readonly guarantee?: AgreementEntry['guarantee']
    }

export interface Encrypted {
  /** The key that opened it. */
  readonly under?: string
  /** The seal of bytes that could not be opened. */
  readonly seal?: string
}

/**
 * Whether a put is in the version that its writer had recorded (rules 2 and 3 of docs/design/agreement.md), and whether it agrees
 * with what the record said of all servers.
 */
export function judgePut(
  apiVersion: string | undefined,
  writer: Writer | undefined,
  { record, shown }: Recorded,
  { under = plainKey, seal }: Encrypted = {},
): Judgement {
  if (seal !== undefined) return { verdict: 'unseen', seal }
  if (apiVersion === undefined) return exception('Unreadable', 'the bytes name no apiVersion')
  const entries = record?.servers ?? []
  const isUnrecorded = record?.encodings.includes(unrecordedEncoding) ?? false
  if (!record || entries.length === 0) {
    return isUnrecorded
      ? unrecorded(apiVersion)
      : exception('NothingRecorded', `is in ${apiVersion}, and no server had an entry`)
  }
  const put = { apiVersion, under }
  const judged = writer ? judgeWriter(put, writer, entries) : judgeSet(put, entries)
  if (judged.verdict === 'exception') {
    const mayBeOthers = !writer || judged.reason === 'NoEntry'
    return isUnrecorded && mayBeOthers ? unrecorded(apiVersion) : judged
  }
  // A server that does not record may have written this version, too.
  if (!writer && isUnrecorded) return { verdict: 'ambiguous' }
  if (record.agreedVersion !== undefined && record.agreedVersion !== apiVersion) {
    return exception(
      'NotAgreed',
      `is in ${apiVersion}; all servers were said to store ${record.agreedVersion}`,
    )
  }
  const difference = differenceShown(entries, shown)
  return difference === undefined ? judged : exception('ShownOtherwise', difference)
}

interface JudgedPut {
  readonly apiVersion: string
  readonly under: string
}

function judgeWriter(
  { apiVersion, under }: JudgedPut,
  { serverID, process }: Writer,
  entries: readonly AgreementEntry[],
): Judgement {
  const entry = entries.find((each) => each.serverID === serverID)
  if (!entry) return exception('NoEntry', `is in ${apiVersion}; its writer ${serverID} had no entry`)
  const { encodingVersion, guarantee } = entry
  if (entry.process !== process) {
    return exception(
      'OtherProcess',
      `was written by process ${process} of ${serverID}, whose entry was that of ${entry.process}`,
      guarantee,
    )
  }
  if (entry.refusesWrites) {
    return exception('RefusesWrites', `was written by ${serverID}, whose entry refuses writes`, guarantee)
  }
  if (encodingVersion !== apiVersion) {
    return exception(
      'OtherVersion',
      `is in ${apiVersion}; the entry of its writer ${serverID} said ${encodingVersion}`,
      guarantee,
    )
  }
  if (entry.writeKey !== under) {
    return exception(
      'OtherKey',
      `is under ${under}; the entry of its writer ${serverID} said ${entry.writeKey}`,
      guarantee,
    )
  }
  return { verdict: 'recorded' }
}

/** Without a writer mark: the writer was one of these. */
function judgeSet({ apiVersion, under }: JudgedPut, entries: readonly AgreementEntry[]): Judgement {
  const encodingVersions = new Set(writing(entries).map(({ encodingVersion }) => encodingVersion))
  if (!encodingVersions.has(apiVersion)) {
    const said = [...encodingVersions].sort().join(', ') || 'nothing'
    return exception('OtherVersion', `is in ${apiVersion}; the entries of all servers said ${said}`)
  }
  const keys = new Set(writing(entries).map(({ writeKey }) => writeKey))
  if (!keys.has(under)) {
    return exception(
      'OtherKey',
      `is under ${under}; the entries of all servers said ${[...keys].sort().join(', ')}`,
    )
  }
  return { verdict: encodingVersions.size === 1 && keys.size === 1 ? 'recorded' : 'ambiguous' }
}

/** Record and StorageVersion change in one transaction, so they may never differ. */
function differenceShown(
  entries: readonly AgreementEntry[],
  shown: StorageVersionStatus | undefined,
): string | undefined {
  const meant = writing(entries).map(({ serverID, encodingVersion }) => `${serverID}=${encodingVersion}`)
  // Whether servers that refuse writes are listed depends on the release that wrote the object.
  const refusing = new Set(
    entries.filter(({ refusesWrites }) => refusesWrites).map(({ serverID }) => serverID),
  )
  const said = (shown?.storageVersions ?? [])
    .filter(({ apiServerID }) => !refusing.has(apiServerID))
    .map((each) => `${each.apiServerID}=${each.encodingVersion}`)
  if (said.sort().join() === meant.sort().join()) return undefined
  return `the StorageVersion object said ${said.join(', ') || 'nothing'}, the record ${meant.join(', ')}`
}

function unrecorded(apiVersion: string): Judgement {
  return exception(
    'Unrecorded',
    `is in ${apiVersion}; a server was there that does not record what it writes`,
  )
}

const writing = (entries: readonly AgreementEntry[]): AgreementEntry[] =>
  entries.filter(({ refusesWrites }) => !refusesWrites)

function exception(
  reason: ExceptionReason,
  message: string,
  guarantee?: AgreementEntry['guarantee'],
): Judgement {
  return { verdict: 'exception', reason, message, ...(guarantee === undefined ? {} : { guarantee }) }
}
