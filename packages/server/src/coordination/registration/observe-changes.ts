import {
  type AgreementStatus,
  groupResourceText,
  isIdentityLease,
  keyRulesAnnotation,
  type Lease,
  registeredAnnotation,
} from '@strata/api'
import { integer, type World } from '@strata/world'
import { resourcePrefix } from '../../codec/index.ts'
import type { Entry, Revision } from '../../store/index.ts'
import type { CacheEvent, Collection, WatchCache } from '../../watch-cache/index.ts'
import { agreementKind, agreementPrefix, identityLeasePrefix, leaseKind } from '../frozen-kinds.ts'
import { nonceOf } from '../record/record-nonce.ts'

export interface AgreementObserver {
  /** A server came or went, or may have during a reset of the cache. Not called for renewals. */
  onMembership(): void
  /** A server reads other keys than before, according to its Lease. */
  onKeys(): void
  onRecord(resource: string, status: AgreementStatus, revision: Revision, nonce: string | undefined): void
}

/** Notifies the coordinator of changes that the watch delivers. Each decision is confirmed in the store. */
export function observeAgreementChanges(
  cache: WatchCache,
  world: World,
  signal: AbortSignal,
  observer: AgreementObserver,
): void {
  followMembership(cache, world, signal, () => observer.onMembership())
  followKeyRules(cache, world, signal, () => observer.onKeys())
  const records = cache.collection(agreementPrefix)
  const notify = (entry: Entry, isGone: boolean): void => {
    const record = agreementKind.decode(entry)
    const { spec, status } = record
    const known = isGone ? { ...status, servers: [], encodings: [], unseenProcesses: [] } : status
    observer.onRecord(groupResourceText(spec), known, entry.revision, nonceOf(record))
  }
  followCollection(records, signal, {
    onEvent: ({ kind, key, value, revision }) =>
      notify({ key, value, revision, createRevision: 0 }, kind === 'deleted'),
    onReset: () => {
      // Called before the cache counts as fresh: by then a loose server must have seen what changed meanwhile (rule 14).
      const all = records.range(agreementPrefix)
      for (let index = 0; index < all.count; index++) notify(all.at(index), false)
      soon(world, signal, () => observer.onMembership())
    },
  })
}

/** Calls back, a moment later, when a server came or went. */
export function followMembership(
  cache: WatchCache,
  world: World,
  signal: AbortSignal,
  onMembership: () => void,
): void {
  followCollection(cache.collection(resourcePrefix(leaseKind.codec.definition)), signal, {
    onEvent: (event) => {
      if (changesMembership(event)) soon(world, signal, onMembership)
    },
    onReset: () => soon(world, signal, onMembership),
  })
}

/** Calls back, a moment later, when a server reads other keys. Arrivals, departures and resets are membership changes. */
function followKeyRules(cache: WatchCache, world: World, signal: AbortSignal, onKeys: () => void): void {
  followCollection(cache.collection(resourcePrefix(leaseKind.codec.definition)), signal, {
    onEvent: (event) => {
      if (changesKeyRules(event)) soon(world, signal, onKeys)
    },
    onReset: () => {},
  })
}

/**
 * All servers see a change at the same moment. A random delay lets one of them write, so that the others find nothing to do.
 */
function soon({ clock, random }: World, signal: AbortSignal, act: () => void): void {
  clock.after(integer(random, 50), () => {
    if (!signal.aborted) act()
  })
}

/**
 * Whether a Lease, its identity label or its "registered" annotation came or went. Renewals, which are frequent, do not count,
 * nor do other annotations: no server comes or goes with them.
 */
function changesMembership({ kind, key, value, previous, revision }: CacheEvent): boolean {
  if (!key.startsWith(identityLeasePrefix)) return false
  const decode = (bytes: Uint8Array): Lease =>
    leaseKind.decode({ key, value: bytes, revision, createRevision: 0 })
  const now = decode(value)
  if (kind !== 'modified' || !previous) return isIdentityLease(now)
  const before = decode(previous)
  const isRegistered = ({ metadata }: Lease): boolean =>
    metadata.annotations?.[registeredAnnotation] === 'true'
  return isIdentityLease(now) !== isIdentityLease(before) || isRegistered(now) !== isRegistered(before)
}

function changesKeyRules({ kind, key, value, previous, revision }: CacheEvent): boolean {
  if (kind !== 'modified' || !previous || !key.startsWith(identityLeasePrefix)) return false
  const rulesIn = (bytes: Uint8Array): string | undefined =>
    leaseKind.decode({ key, value: bytes, revision, createRevision: 0 }).metadata.annotations?.[
      keyRulesAnnotation
    ]
  return rulesIn(value) !== rulesIn(previous)
}

/** Subscribes, and again after every reset. */
export function followCollection(
  collection: Collection,
  signal: AbortSignal,
  handlers: { onEvent(event: CacheEvent): void; onReset(): void },
): void {
  if (signal.aborted) return
  const unsubscribe = collection.subscribe({
    onEvent: (event) => handlers.onEvent(event),
    onReset: () => {
      signal.removeEventListener('abort', unsubscribe)
      handlers.onReset()
      followCollection(collection, signal, handlers)
    },
  })
  signal.addEventListener('abort', unsubscribe, { once: true })
}
