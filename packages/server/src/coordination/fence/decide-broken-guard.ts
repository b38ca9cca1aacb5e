import { type AgreementEntry, type Lease, type UnseenServer, unrecordedEncoding } from '@strata/api'
import { holderOf } from '../identity/lease-holder.ts'

/** What a server sees when its fence broke: the record and its own Lease, read in one transaction. */
export interface FenceView {
  /** This server's entry in the record now; undefined if it is gone or there is no record. */
  readonly entry: AgreementEntry | undefined
  readonly lease: Lease | undefined
  /** What the record says is being written; undefined if there is none. */
  readonly encodings?: readonly string[] | undefined
  /** Without an identity: what this process states beside its name in the record; undefined if it is not named there. */
  readonly statement?: UnseenServer | undefined
}

/** This process, and what it wrote last. */
export interface FencedProcess {
  readonly process: string
  readonly encodingVersion: string
  /** Why it refuses writes already; undefined if it does not. */
  readonly refusal?: string | undefined
}

export type AfterBrokenGuard =
  /** Another server joined or left; our entry stands. */
  | { readonly do: 'retry' }
  /** The servers chose another version meanwhile; our entry says so. */
  | { readonly do: 'encode-again'; readonly encodingVersion: string }
  /** We cannot write the selected version, or have a key problem. We write nothing, and stay (rules 12 and 17). */
  | { readonly do: 'refuse'; readonly selectedVersion: string; readonly keyProblem?: string }
  /** We were expelled: the other servers do not count us, so we may not write until we are registered again. */
  | { readonly do: 'register-again'; readonly why: string }
  /** Another process holds our identity. Our writes would be recorded under its name. */
  | { readonly do: 'stop'; readonly why: string }

/**
 * Rule 3 of agreement.md. Without the entry check:
 *
 * 1. Server A is frozen for ten minutes, and expelled meanwhile.
 * 2. The others agree on v2 and migrate.
 * 3. A thaws, finds its guard broken, takes the record's new revision, and stores v1 after "migrated" was declared.
 */
export function decideBrokenGuard(self: FencedProcess, { entry, lease }: FenceView): AfterBrokenGuard {
  const lost = afterLostLease(lease, self.process)
  if (lost) return lost
  if (!entry) return { do: 'register-again', why: 'the entry in the agreement record is gone' }
  if (entry.process !== self.process) {
    return { do: 'stop', why: `the entry was written by another process, ${entry.process}` }
  }
  if (entry.refusesWrites) {
    const { encodingVersion: selectedVersion, keyProblem } = entry
    return { do: 'refuse', selectedVersion, ...(keyProblem === undefined ? {} : { keyProblem }) }
  }
  if (entry.encodingVersion !== self.encodingVersion) {
    return { do: 'encode-again', encodingVersion: entry.encodingVersion }
  }
  return { do: 'retry' }
}

function afterLostLease(lease: Lease | undefined, process: string): AfterBrokenGuard | undefined {
  switch (holderOf(lease, process)) {
    case 'this process':
      return undefined
    case 'another process': {
      const holder = lease?.spec?.holderIdentity ?? 'unnamed'
      return { do: 'stop', why: `the identity is held by another process, ${holder}` }
    }
    case 'none':
      return { do: 'register-again', why: 'the identity Lease is gone' }
    case 'foreign':
      return { do: 'register-again', why: 'a Lease that no server wrote is in place of the identity Lease' }
  }
}

/**
 * The same for a server that does not record what it writes (rule 18): its guard is a record that says `unrecorded`.
 * Without it: server A is frozen until its Lease has expired; the others agree on v2 and migrate; A thaws and stores v1
 * after "migrated" was declared.
 */
export function decideBrokenGap(self: FencedProcess, { lease, encodings }: FenceView): AfterBrokenGuard {
  const lost = afterLostLease(lease, self.process)
  if (lost) return lost
  if (!encodings?.includes(unrecordedEncoding)) {
    return {
      do: 'register-again',
      why: 'the record does not say that this server writes without recording it',
    }
  }
  // The record has no entry with the key problem. Only the gap keeper decides again about a refusal because of keys.
  return afterKeyProblem(self.refusal, self) ?? { do: 'retry' }
}

function afterKeyProblem(
  keyProblem: string | undefined,
  { encodingVersion: selectedVersion }: FencedProcess,
): AfterBrokenGuard | undefined {
  return keyProblem === undefined ? undefined : { do: 'refuse', selectedVersion, keyProblem }
}

/**
 * The same for a server without an identity Lease (rule 18): its guard says that the record names its process. Without it:
 *
 * 1. B, without an identity, sends a create in v1. The answer is lost, and B leaves: the record names it no more.
 * 2. The others agree on v2. A census reads every object and proves it; the record forgets v1.
 * 3. The commit of B arrives, however late, and v1 is stored.
 *
 * A process whose statement names a key problem writes nothing: other servers rely on that.
 */
export function decideBrokenUnseen(
  self: FencedProcess,
  { statement }: Pick<FenceView, 'statement'>,
): AfterBrokenGuard {
  if (!statement) {
    const why = 'the record does not name this process among those without an identity'
    return { do: 'register-again', why }
  }
  return afterKeyProblem(statement.keyProblem, self) ?? { do: 'retry' }
}
