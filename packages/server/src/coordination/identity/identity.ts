import {
  encryptionFileAnnotation,
  identityLabel,
  identityLabelValue,
  identityNamespace,
  instanceAnnotation,
  type KeyRule,
  keyRulesAnnotation,
  type Lease,
  processAnnotation,
  recordsWritesAnnotation,
  refusesAnnotation,
  refusesText,
  registeredAnnotation,
  releaseAnnotation,
  renewIntervalAnnotation,
  upstreamRenewIntervalSeconds,
} from '@strata/api'
import { jitter, microTimestamp, sleep, timestamp, uuid, type World } from '@strata/world'
import {
  type CommitOutcome,
  type Entry,
  type Guard,
  type Revision,
  readOne,
  type Store,
} from '../../store/index.ts'
import { removeDocHash } from '../discovery-consistency/doc-hashes.ts'
import { agreementKind, agreementPrefix, identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import type { AgreementRecords } from '../record/agreement-records.ts'
import { withoutServers } from '../record/decide-agreement.ts'
import { holderOf, processMark } from './lease-holder.ts'

/** There are hundreds of records where there are hundreds of CRDs. */
const removalsAtOnce = 8

/** Attempts to take an unchanged Lease while other servers change the discovery hashes. */
const takingAttempts = 10

/** Another process runs as this server. If both ran, agreement would count only one of them. */
export class IdentityTaken extends Error {
  override readonly name = 'IdentityTaken'
}

export interface IdentityOptions {
  readonly store: Store
  readonly world: World
  readonly records: AgreementRecords
  readonly serverID: string
  readonly instance?: string
  readonly release?: string
  readonly leaseDurationSeconds: number
  readonly renewIntervalSeconds: number
  /** False with the gate StorageVersionAPI off; the Lease says so. */
  readonly recordsWrites?: boolean
  /** Whether every resource of the program has an entry now; the Lease says so. */
  readonly isRegistered?: () => boolean
  /** Resources that are not served because they cannot be decoded; the Lease names them. Undefined: not known yet. */
  readonly refused?: () => readonly string[] | undefined
  /** The keys that this server reads and writes. The Lease states them for servers that find no entry of it (rule 17). */
  readonly keyRules?: () => readonly KeyRule[]
  /** Whether this server refuses its present encryption file; the Lease says so. */
  readonly refusesEncryptionFile?: () => boolean
}

/**
 * The identity Lease of this server (agreement.md, rule 1): one name per server, held by one process at a
 * time. It is taken before any entry is written and given back after the last one is removed.
 */
export class Identity {
  readonly serverID: string
  /** Names this run of the server; a restart has another. */
  readonly process: string
  readonly #options: IdentityOptions
  /** Once this process has held its Lease, no other process takes it without writing the label. */
  #hasHeld = false
  #hasWatchedForeign = false

  constructor(options: IdentityOptions) {
    this.#options = options
    this.serverID = options.serverID
    this.process = `${options.serverID}_${uuid(options.world.random)}`
  }

  /** Takes the Lease, or throws `IdentityTaken`. */
  async acquire(signal: AbortSignal): Promise<void> {
    do signal.throwIfAborted()
    while (!(await this.#tryToAcquire(signal)))
    this.#hasHeld = true
  }

  async #tryToAcquire(signal: AbortSignal): Promise<boolean> {
    let found = await this.#read(signal)
    // Taken by us, though the answer was lost.
    if (found && this.#holderOf(found) === 'this process') {
      return (await this.#removeOldEntries(found.revision, signal)) !== undefined
    }
    if (found) {
      const free = await this.#whenFree(found, signal)
      found = free && (await this.#unregister(free, leaseKind.decode(free), signal))
      if (!found) return false
    }
    const revision = await this.#take(found, signal)
    // Once more, now that the earlier process can store no entry any more. It may have thawed, found its entries removed, and
    // registered again while it still had its Lease. If a CRD is gone by now, no server would ever remove that entry.
    return revision !== undefined && (await this.#removeOldEntries(revision, signal)) !== undefined
  }

  /**
   * Renews. `lost` means that another process holds the Lease now; `absent` that it was deleted (we were
   * expelled) and must be acquired again, entries included; `foreign` the same, with a Lease that no server wrote in its
   * place; `overtaken` that it is ours, but another client changed it meanwhile.
   */
  async renew(signal: AbortSignal): Promise<'held' | 'overtaken' | 'absent' | 'foreign' | 'lost'> {
    const found = await this.#read(signal)
    const isOurs = found && this.#holderOf(found) === 'this process'
    if (isOurs && (await this.#write(found, signal)) !== undefined) return 'held'
    const now = isOurs ? await this.#read(signal) : found
    switch (this.#holderOf(now)) {
      case 'this process':
        return 'overtaken'
      case 'another process':
        return 'lost'
      case 'foreign':
        return 'foreign'
      case 'none':
        return 'absent'
    }
  }

  /**
   * Deletes the Lease, if it is still ours. The last thing a server does (rule 7). If the Lease has changed, it is read again.
   * Otherwise: kubectl annotates the Lease in this moment; the Lease of a server that has left stands for its whole
   * duration, and nothing is agreed on meanwhile (rule 11).
   */
  async release(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const found = await this.#read(signal)
      if (!found || leaseKind.decode(found).spec?.holderIdentity !== this.process) return
      const { key, revision } = found
      const guards = [{ key, revision }]
      if (!(await removeDocHash(this.#options, this.serverID, guards, signal))) continue
      const { outcome } = await this.#options.store.commit(
        { writes: [{ kind: 'delete', key }], guards },
        signal,
      )
      if (outcome === 'committed') return
    }
  }

  /** How long to wait before the next renewal. */
  nextRenewalMs(): number {
    return jitter(this.#options.world.random, this.#options.renewIntervalSeconds * 1000, 0.04)
  }

  #holderOf(found: Entry | undefined): ReturnType<typeof holderOf> {
    return holderOf(found && leaseKind.decode(found), this.process)
  }

  #read(signal: AbortSignal): Promise<Entry | undefined> {
    return readOne(this.#options.store, identityLeaseKey(this.serverID), signal)
  }

  /**
   * Removes the entries of the earlier process, then takes the Lease, guarded by the absence of its discovery hash.
   * Otherwise: the earlier process is killed while its hash is on its way; the hash arrives in between, and the other
   * servers believe that the new process serves those documents. Undefined if the Lease has changed, or too many attempts lost.
   */
  async #take(found: Entry | undefined, signal: AbortSignal): Promise<Revision | undefined> {
    for (let attempt = 0; attempt < takingAttempts; attempt++) {
      const stayOut = await this.#removeOldEntries(found?.revision ?? 'absent', signal)
      if (!stayOut) return undefined
      const outcome = await this.#commit(found, signal, stayOut)
      if (outcome.outcome === 'committed') return outcome.revisions[0] ?? outcome.revision
      // Other servers report too. A race lost to them is retried, without watching the holder again.
      const isTheirs = (key: string): boolean => stayOut.some((each) => each.key === key)
      if (outcome.broken.some(({ guard }) => !isTheirs(guard.key))) return undefined
    }
    return undefined
  }

  /**
   * Compare-and-swap; undefined if the race was lost. The store throws if the outcome is unknown; the caller reads again.
   */
  async #write(found: Entry | undefined, signal: AbortSignal): Promise<Revision | undefined> {
    const outcome = await this.#commit(found, signal)
    return outcome.outcome === 'committed' ? (outcome.revisions[0] ?? outcome.revision) : undefined
  }

  #commit(
    found: Entry | undefined,
    signal: AbortSignal,
    guards: readonly Guard[] = [],
  ): Promise<CommitOutcome> {
    const key = identityLeaseKey(this.serverID)
    return this.#options.store.commit(
      {
        writes: [{ kind: 'put', key, value: leaseKind.encode(this.#lease(found)) }],
        guards: [{ key, revision: found?.revision ?? 'absent' }, ...guards],
      },
      signal,
    )
  }

  #lease(found: Entry | undefined): Lease {
    const { world, serverID, instance, release, leaseDurationSeconds, renewIntervalSeconds } = this.#options
    const now = microTimestamp(world.clock)
    const before = found && leaseKind.decode(found)
    const mine = before?.spec?.holderIdentity === this.process
    const refused = this.#options.refused?.()
    return {
      metadata: {
        name: serverID,
        namespace: identityNamespace,
        uid: before?.metadata.uid ?? uuid(world.random),
        creationTimestamp: before?.metadata.creationTimestamp ?? timestamp(world.clock),
        labels: { [identityLabel]: identityLabelValue, 'kubernetes.io/hostname': world.processes.hostname },
        annotations: {
          [processAnnotation]: JSON.stringify(world.processes.self),
          [renewIntervalAnnotation]: String(renewIntervalSeconds),
          ...(instance === undefined ? {} : { [instanceAnnotation]: instance }),
          ...(release === undefined ? {} : { [releaseAnnotation]: release }),
          ...(mine && this.#options.isRegistered?.() ? { [registeredAnnotation]: 'true' } : {}),
          [keyRulesAnnotation]: JSON.stringify(this.#options.keyRules?.() ?? []),
          ...(refused === undefined ? {} : { [refusesAnnotation]: refusesText(refused) }),
          ...(this.#options.refusesEncryptionFile?.() ? { [encryptionFileAnnotation]: 'refused' } : {}),
          ...(this.#options.recordsWrites === false ? { [recordsWritesAnnotation]: 'false' } : {}),
        },
      },
      spec: {
        holderIdentity: this.process,
        leaseDurationSeconds,
        acquireTime: mine ? (before?.spec?.acquireTime ?? now) : now,
        renewTime: now,
      },
    }
  }

  /**
   * Removes the "registered" annotation of the earlier process's Lease before its entries go. Otherwise: its entries are gone,
   * its Lease says that it is fully registered, so it seems to serve nothing, and the versions that all serve vanish for a
   * moment. Returns the Lease as stored now; undefined if another writer changed it.
   */
  async #unregister(found: Entry, lease: Lease, signal: AbortSignal): Promise<Entry | undefined> {
    const { key, revision } = found
    const { [registeredAnnotation]: registered, ...annotations } = lease.metadata.annotations ?? {}
    if (registered === undefined) return found
    const value = leaseKind.encode({ ...lease, metadata: { ...lease.metadata, annotations } })
    const outcome = await this.#options.store.commit(
      { writes: [{ kind: 'put', key, value }], guards: [{ key, revision }] },
      signal,
    )
    if (outcome.outcome !== 'committed') return undefined
    return { ...found, value, revision: outcome.revisions[0] ?? outcome.revision }
  }

  /**
   * The Lease, once it may be taken over: its holder has provably ended, or did not renew for two renewal intervals, or no
   * server wrote it. Undefined if the Lease is gone by then. A starting server watches a foreign Lease for as long, too: it
   * may belong to a live server whose label a client removed, and the next renewal has the label again.
   */
  async #whenFree(found: Entry, signal: AbortSignal): Promise<Entry | undefined> {
    const { world } = this.#options
    const lease = leaseKind.decode(found)
    const isForeign = this.#holderOf(found) === 'foreign'
    if (isForeign && (this.#hasHeld || this.#hasWatchedForeign)) return found
    const mark = processMark(lease)
    if (mark && world.processes.isGone(mark)) return found
    world.log.info('the identity is held by another process; watching whether it is renewed', {
      lease: this.serverID,
      holder: lease.spec?.holderIdentity,
    })
    await sleep(world.clock, 2.2 * 1000 * this.#watchedIntervalSeconds(lease, isForeign), signal)
    const again = await this.#read(signal)
    if (!again) return undefined
    if (this.#holderOf(again) === 'foreign') {
      // From now on a foreign Lease is taken at once: otherwise a client that changes it keeps this server waiting for ever.
      this.#hasWatchedForeign = true
      return again
    }
    if (again.revision === found.revision) return again
    throw new IdentityTaken(takenText(this.serverID, leaseKind.decode(again)))
  }

  /** The holder's renewal interval, not ours: it may renew less often. A foreign Lease states no reliable interval. */
  #watchedIntervalSeconds(lease: Lease, isForeign: boolean): number {
    const { renewIntervalSeconds } = this.#options
    if (isForeign) return renewIntervalSeconds
    const theirs = Number(
      lease.metadata.annotations?.[renewIntervalAnnotation] ?? upstreamRenewIntervalSeconds,
    )
    const slowest = Math.max(
      renewIntervalSeconds,
      lease.spec?.leaseDurationSeconds ?? upstreamRenewIntervalSeconds,
    )
    return Math.min(slowest, Math.max(renewIntervalSeconds, Number.isFinite(theirs) ? theirs : 0))
  }

  /**
   * Removes the entries of the earlier process first, while its Lease still stands, or is still absent. Otherwise:
   *
   * - We take the Lease and crash before registering. Its entry counts as that of a live server.
   * - Or its Lease was collected and its entries were not, and a CRD is gone meanwhile. We do not register for it, and with
   *   our Lease there, its entry counts for ever.
   *
   * Returns a guard of the discovery hashes: while it holds, its hash stays absent. Undefined if the Lease has changed.
   */
  async #removeOldEntries(
    leaseRevision: Revision | 'absent',
    signal: AbortSignal,
  ): Promise<readonly Guard[] | undefined> {
    const { store, records } = this.#options
    const isOld = ({ serverID, process }: { serverID: string; process: string }): boolean =>
      serverID === this.serverID && process !== this.process
    const lease = { key: identityLeaseKey(this.serverID), revision: leaseRevision }
    const report = await removeDocHash(this.#options, this.serverID, [lease], signal)
    let isOvertaken = false
    const page = await store.list({ prefix: agreementPrefix }, signal)
    const waiting = page.entries
      .map((entry) => agreementKind.decode(entry))
      .filter((record) => record.status.servers.some(isOld))
      .values()
    const next = async (): Promise<void> => {
      for (const { spec } of waiting) {
        const { outcome } = await records.change(
          spec,
          ({ entries }) =>
            entries.some(isOld) ? { entries: withoutServers(entries, isOld), guards: [lease] } : undefined,
          signal,
        )
        if (outcome === 'overtaken') isOvertaken = true
      }
    }
    await Promise.all(Array.from({ length: removalsAtOnce }, next))
    return report && !isOvertaken ? [report] : undefined
  }
}

function takenText(serverID: string, { metadata, spec }: Lease): string {
  const host = metadata.labels?.['kubernetes.io/hostname'] ?? 'unknown'
  return `another process (${spec?.holderIdentity ?? 'unnamed'}, host ${host}) is running as ${serverID} and renews its Lease; give each server on one host a name of its own with --instance. If no such server runs, see who writes the Lease: kubectl get lease ${serverID} -n ${identityNamespace} -o yaml --show-managed-fields`
}
