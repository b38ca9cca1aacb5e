import { type GroupResource, groupResourceText } from '@strata/api'
import type { World } from '@strata/world'
import { type PlacedResource, ResourcePlaces } from '../codec/index.ts'
import { agreementKind, agreementPrefix, type Coordinator } from '../coordination/index.ts'
import {
  decideReload,
  EncryptedStore,
  type Encryption,
  type EncryptionConfiguration,
  mayBeUnused,
  type ReloadedResource,
} from '../encryption/index.ts'
import type { ReadableStore, Store } from '../store/index.ts'
import type { StrataServer } from './server-options.ts'

interface ReloadParts {
  readonly store: Pick<Store, 'list'>
  readonly coordinator: Pick<Coordinator, 'leaseChanged' | 'forgetEmpty'>
}

export function createReload(
  encryption: Encryption | undefined,
  parts: ReloadParts,
): StrataServer['reloadEncryption'] {
  return async (configuration, signal) =>
    encryption
      ? reloadEncryption(encryption, parts, configuration, signal)
      : 'this server was started without --encryption-provider-config'
}

/**
 * Puts another configuration in force, or says why it may not be. Decided on what all records say now; what somebody does
 * between that and the moment in which everyone knows is caught by the entries (agreement.md, rule 17): a key that is
 * needed after all stays readable.
 */
async function reloadEncryption(
  encryption: Encryption,
  parts: ReloadParts,
  configuration: EncryptionConfiguration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const after = await encryption.readableBy(configuration, signal)
  const { store, coordinator } = parts
  const unwell = encryption.problemOf(configuration)
  if (unwell !== undefined) return unwell
  const refusal = decideReload(await observeKeys(encryption, parts, after, signal))
  if (refusal !== undefined) return refusal
  await encryption.replace(configuration, signal)
  // In force it is all the same: what could not be made sure of is kept for longer.
  const recorded = (await coordinator.leaseChanged())
    ? await recordedResources(store, signal).catch(() => undefined)
    : undefined
  if (recorded) encryption.forgetFormer(recorded)
  return undefined
}

type Reloaded = ReloadedResource & { readonly of: GroupResource }

/** Every record beside what can be read before and after. Records that name a key in vain are cleared first. */
async function observeKeys(
  encryption: Encryption,
  { store, coordinator }: ReloadParts,
  after: (resource: GroupResource) => readonly string[],
  signal: AbortSignal,
): Promise<readonly ReloadedResource[]> {
  const observe = async (): Promise<readonly Reloaded[]> => {
    const { entries } = await store.list({ prefix: agreementPrefix }, signal)
    return entries.map((entry) => {
      const { spec, status } = agreementKind.decode(entry)
      const of: GroupResource = { group: spec.group, resource: spec.resource }
      const before = encryption.keysOf(of).readable
      return { of, resource: groupResourceText(of), before, after: after(of), record: status }
    })
  }
  const found = await observe()
  const unproven = new Map<string, string>()
  for (const { of, resource } of found.filter(mayBeUnused)) {
    const looked = await coordinator.forgetEmpty(of, signal)
    if (looked.outcome === 'refused') unproven.set(resource, looked.why)
  }
  const standing = found.some(mayBeUnused) ? await observe() : found
  return standing.map((each) => ({ ...each, unproven: unproven.get(each.resource) }))
}

/**
 * All that have a record. Whoever has relied on what the Lease of this server said before has stored one, guarded by that
 * Lease: once it says something else, no other can come. Otherwise: A makes up its mind to write gadgets under `one`, which
 * the Lease of B names; B's file drops `one`, of which no record tells; A's entry is stored, and B has never heard of gadgets
 * and nothing to keep.
 */
async function recordedResources(store: Pick<Store, 'list'>, signal: AbortSignal): Promise<GroupResource[]> {
  const { entries } = await store.list({ prefix: agreementPrefix }, signal)
  return entries.map((entry) => agreementKind.decode(entry).spec)
}

/** Puts encryption between a server and its store. */
export function encryptStore(
  store: Store,
  encryption: Encryption,
  {
    known,
    world,
    signal,
  }: { readonly known: readonly PlacedResource[]; readonly world: World; readonly signal: AbortSignal },
): Store {
  const places = new ResourcePlaces(known)
  const { clock, log } = world
  return new EncryptedStore(store, encryption, { clock, log, signal, resourceOf: (key) => places.find(key) })
}

/** The same for somebody who only looks. */
export function decryptStore(
  store: ReadableStore,
  encryption: Encryption,
  parts: Parameters<typeof encryptStore>[2],
): ReadableStore {
  const refused = (): Promise<never> => Promise.reject(new Error('this store is read-only'))
  const whole: Store = {
    list: (...asked) => store.list(...asked),
    currentRevision: (...asked) => store.currentRevision(...asked),
    watch: (...asked) => store.watch(...asked),
    close: () => store.close(),
    ...{ read: refused, commit: refused, compact: refused },
  }
  return encryptStore(whole, encryption, parts)
}
