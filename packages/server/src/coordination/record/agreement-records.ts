import {
  type AgreementEntry,
  type AgreementStatus,
  agreementName,
  type GroupResource,
  isIdentityLease,
  type KeyRule,
  keyRulesOf,
  recordsWrites,
  registeredAnnotation,
  type StorageAgreement,
  serviceUnavailable,
  type UnseenServer,
  unseenServersAnnotation,
  unseenServersOf,
} from '@strata/api'
import { jitter, sleep, timestamp, uuid, type World } from '@strata/world'
import { equalJson } from '../../codec/index.ts'
import type { BrokenGuard, Entry, Guard, Key, Revision, Store, Write } from '../../store/index.ts'
import {
  agreementKey,
  agreementKind,
  ballotKey,
  identityLeasePrefix,
  leaseKind,
  storageVersionKey,
} from '../frozen-kinds.ts'
import { processMark } from '../identity/lease-holder.ts'
import { noObserver, type RegistrationObserver } from '../registration/registration-observer.ts'
import { agreementFacts } from './agreement-facts.ts'
import { type AgreementFacts, decideAgreement, drawEpochStep } from './decide-agreement.ts'
import type { PersistedProof } from './decide-persisted.ts'
import type { GapCause } from './decide-recording-gap.ts'
import { ballotWrites, storageVersionWrites } from './projections.ts'
import { nonceGuard, nonceKey, nonceWrite, storedNonce, withNonce } from './record-nonce.ts'

/** The resource of a record, and where its objects are stored, if the caller knows. */
export type AgreedResource = GroupResource & { readonly storagePrefix?: string }

export interface StoredAgreement {
  readonly record: StorageAgreement
  readonly revision: Revision
}

/** A change is decided on this: the entries and the Leases, both just read from the store. */
export interface AgreementView {
  readonly stored: StoredAgreement | undefined
  readonly entries: readonly AgreementEntry[]
  /** All Leases of the identities' namespace, by name. */
  readonly leases: ReadonlyMap<string, HeldLease>
}

export interface HeldLease {
  readonly revision: Revision
  readonly holder: string | undefined
  /** Whether its holder ran on this host and has ended. Looks into the process table. */
  readonly isGone?: () => boolean
  /** Has upstream's label. A Lease without it counts as no server, but its key is not absent either. */
  readonly isIdentity: boolean
  /** Its server has registered every resource that it has. */
  readonly isRegistered?: boolean
  /** False: the Lease says that its server does not record; undefined: a foreign server (rule 18). */
  readonly records: boolean | undefined
  /** Which keys its server reads and writes; undefined if the Lease does not state them. */
  readonly keyRules?: readonly KeyRule[] | undefined
}

export interface AgreementChange {
  readonly entries: readonly AgreementEntry[]
  /** More guards of the same transaction, e.g. that a removed server's Lease is absent. */
  readonly guards: readonly Guard[]
  /** Where objects of the resource are stored. A record that is created while there are some begins with a gap. */
  readonly prefix?: Key
  /** Why objects may have been written without a record (rule 18). */
  readonly gap?: GapCause
  /** The processes without an identity (rule 18) after this change; undefined to leave them as they are. */
  readonly unseen?: readonly string[]
  /** The new statement of one of them. It replaces the one before. */
  readonly states?: UnseenServer
  /** The deciding server has seen no server come or go for a while. */
  readonly isSettled?: boolean
  /** The process that removes its own entry, after its last write. */
  readonly leavingProcess?: string | undefined
  /** Marks of loose processes that the deciding server has watched for long enough (rule 14). */
  readonly settledLoose?: ReadonlySet<string>
  /** Every stored object was read in one epoch, and all have one version and one key. */
  readonly proof?: PersistedProof
  /** Removes the selection (rule 12): no server serves the resource, and nothing is stored. */
  readonly forgetsSelection?: boolean
  /** Writes the record although nothing changes: then the store refuses each commit that an earlier revision guards. */
  readonly moves?: boolean
  /** Empties `status.persisted`: no server writes the resource, and nothing is stored. */
  readonly isEmptied?: boolean
}

export type ChangeOutcome =
  | { readonly outcome: 'stored' | 'unchanged'; readonly stored: StoredAgreement | undefined }
  /** A guard of the caller broke. The caller has to decide again. */
  | { readonly outcome: 'overtaken' }

const attemptsPerChange = 30

/** Reads and changes agreement records. Servers write records, and project them, in this one place. */
export class AgreementRecords {
  readonly #store: Store
  readonly #world: World
  readonly #decide: typeof decideAgreement
  readonly #observer: RegistrationObserver

  constructor(options: {
    readonly store: Store
    readonly world: World
    /** Handed in so that the simulator can break it. */
    readonly decideAgreement?: typeof decideAgreement
    readonly observer?: RegistrationObserver
  }) {
    this.#store = options.store
    this.#world = options.world
    this.#decide = options.decideAgreement ?? decideAgreement
    this.#observer = options.observer ?? noObserver
  }

  /** All Leases where identities are. Linearizable: a failed read is not an absence. */
  async observeLeases(signal: AbortSignal): Promise<ReadonlyMap<string, HeldLease>> {
    const live = new Map<string, HeldLease>()
    let after: string | undefined
    for (;;) {
      const page = await this.#store.list({ prefix: identityLeasePrefix, limit: 500, after }, signal)
      for (const entry of page.entries) {
        const lease = leaseKind.decode(entry)
        const mark = processMark(lease)
        live.set(lease.metadata.name ?? '', {
          revision: entry.revision,
          holder: lease.spec?.holderIdentity,
          ...(mark ? { isGone: () => this.#world.processes.isGone(mark) } : {}),
          isIdentity: isIdentityLease(lease),
          records: recordsWrites(lease),
          isRegistered: lease.metadata.annotations?.[registeredAnnotation] === 'true',
          keyRules: keyRulesOf(lease),
        })
      }
      if (page.remaining === 0) return live
      after = page.entries.at(-1)?.key
    }
  }

  /**
   * Changes one record and its projections in one transaction. A lost race against another server is retried with jitter, a
   * bounded number of times; each attempt calls `decide` with a fresh view. Without a change nothing is sent (rule 9).
   */
  async change(
    resource: AgreedResource,
    decide: (view: AgreementView) => AgreementChange | undefined,
    signal: AbortSignal,
  ): Promise<ChangeOutcome> {
    const keys = [agreementKey(resource), storageVersionKey(resource), ballotKey(resource)]
    const nonceAt = nonceKey(resource)
    for (let attempt = 0; attempt < attemptsPerChange; attempt++) {
      const { entries: found } = await this.#store.read([...keys, nonceAt], signal)
      const stored = storedAgreement(found[0])
      // Leases are read after the record, which is guarded: so its entries and these Leases stood at one time. Otherwise:
      // 1. A reads the Leases. 2. B takes its Lease and registers. 3. A reads the record, finds no Lease for the entry of B,
      // and B is outvoted though it lives (rule 12).
      const leases = await this.observeLeases(signal)
      const view = { stored, entries: stored?.record.status.servers ?? [], leases }
      const wanted = decide(view)
      if (!wanted) return { outcome: 'unchanged', stored }

      const facts = agreementFacts(view, wanted, {
        ...(await this.#gapOf(stored, wanted, signal)),
        restoredEpochStep:
          wanted.gap?.reason === 'StoreRestored' ? drawEpochStep(this.#world.random) : undefined,
        now: timestamp(this.#world.clock),
      })
      const nonce = uuid(this.#world.random)
      const record = withNonce(this.#recordOf(resource, stored, facts, wanted.states), nonce)
      const isSame = stored && !wanted.moves && saysTheSame(stored.record, record)
      const standing = isSame ? stored : undefined
      // Also if the record is unchanged: a projection that says something else is repaired.
      const shown = this.#projectionsOf(resource, stored, record, [found[1], found[2]])
      if (standing && shown.length === 0) return { outcome: 'unchanged', stored: standing }

      const put: Write = { kind: 'put', key: agreementKey(resource), value: agreementKind.encode(record) }
      const outcome = await this.#store.commit(
        {
          writes: standing ? shown : [put, ...shown, nonceWrite(resource, nonce)],
          // The projections are guarded too: clients may write labels to one, and create one before there is a record.
          guards: [
            ...unchanged(keys, found),
            nonceGuard(resource, storedNonce(found[keys.length])),
            ...wanted.guards,
          ],
        },
        signal,
      )
      if (outcome.outcome === 'committed') {
        const revision = outcome.revisions[0] ?? outcome.revision
        return { outcome: 'stored', stored: standing ?? { record, revision } }
      }
      const isOwn = ({ guard }: BrokenGuard): boolean => guard.key === nonceAt || keys.includes(guard.key)
      if (!outcome.broken.every(isOwn)) return { outcome: 'overtaken' }
      this.#observer.onConflict()
      await sleep(this.#world.clock, jitter(this.#world.random, 10 + 10 * attempt, 0.9), signal)
    }
    throw serviceUnavailable(
      `could not update the agreement record ${agreementName(resource)}: other servers changed it ${attemptsPerChange} times meanwhile`,
      1,
    )
  }

  /** Rule 18: objects that are older than their record were written without one. */
  async #gapOf(
    stored: StoredAgreement | undefined,
    { gap, prefix }: AgreementChange,
    signal: AbortSignal,
  ): Promise<{ gap?: GapCause }> {
    if (gap !== undefined) return { gap }
    if (stored || prefix === undefined) return {}
    const { entries } = await this.#store.list({ prefix, limit: 1 }, signal)
    if (entries.length === 0) return {}
    const message = 'the record was created while objects were already stored'
    return { gap: { reason: 'RecordMadeAnew', message } }
  }

  #recordOf(
    resource: AgreedResource,
    stored: StoredAgreement | undefined,
    facts: AgreementFacts,
    states: UnseenServer | undefined,
  ): StorageAgreement {
    const { now } = facts
    const storagePrefix = resource.storagePrefix ?? stored?.record.spec.storagePrefix
    const metadata = stored?.record.metadata ?? {
      name: agreementName(resource),
      uid: uuid(this.#world.random),
      creationTimestamp: now,
    }
    const status = this.#decide(facts)
    return {
      metadata: withStatements(metadata, status, states),
      spec: {
        ...{ group: resource.group, resource: resource.resource },
        ...(storagePrefix === undefined ? {} : { storagePrefix }),
      },
      status,
    }
  }

  #projectionsOf(
    resource: GroupResource,
    stored: StoredAgreement | undefined,
    { status: next }: StorageAgreement,
    [storageVersion, ballot]: readonly [Entry | undefined, Entry | undefined],
  ): Write[] {
    const facts = {
      ...{ resource, next, previous: stored?.record.status },
      now: timestamp(this.#world.clock),
      uid: () => uuid(this.#world.random),
    }
    return [
      ...storageVersionWrites({ ...facts, entry: storageVersion }),
      ...ballotWrites({ ...facts, entry: ballot }),
    ]
  }
}

function unchanged(keys: readonly Key[], found: readonly (Entry | undefined)[]): Guard[] {
  return keys.map((key, index) => ({ key, revision: found[index]?.revision ?? 'absent' }))
}

/** Ignores `epochRevision`: it alone is not worth a write (rule 9). */
function saysTheSame(a: StorageAgreement, b: StorageAgreement): boolean {
  return (
    equalJson({ ...a.status, epochRevision: 0 }, { ...b.status, epochRevision: 0 }) &&
    equalJson(unseenServersOf(a), unseenServersOf(b))
  )
}

/** Keeps the statement of each process without an identity for as long as the record names the process. */
function withStatements(
  metadata: StorageAgreement['metadata'],
  status: AgreementStatus,
  states: UnseenServer | undefined,
): StorageAgreement['metadata'] {
  const { [unseenServersAnnotation]: _, ...annotations } = metadata.annotations ?? {}
  const others = unseenServersOf({ metadata, status }).filter(({ process }) => process !== states?.process)
  const all = [...others, ...(states ? [states] : [])].sort((a, b) => (a.process < b.process ? -1 : 1))
  if (all.length > 0) {
    return { ...metadata, annotations: { ...annotations, [unseenServersAnnotation]: JSON.stringify(all) } }
  }
  const { annotations: before, ...bare } = metadata
  return Object.keys(annotations).length > 0 ? { ...bare, annotations } : bare
}

export function storedAgreement(entry: Entry | undefined): StoredAgreement | undefined {
  return entry && { record: agreementKind.decode(entry), revision: entry.revision }
}
