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
import type { Store } from '../store/index.ts'
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
 * Puts another configuration in force, or returns why it may not. The decision uses the records as they are now. A server
 * may add an entry between this read and the renewal of the Lease; that entry keeps its key readable (agreement.md, rule
 * 17).
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
  // The configuration is in force even if the Lease or the read fails. Former keys are then kept for longer.
  const recorded = (await coordinator.leaseChanged())
    ? await recordedResources(store, signal).catch(() => undefined)
    : undefined
  if (recorded) encryption.forgetFormer(recorded)
  return undefined
}

type Reloaded = ReloadedResource & { readonly of: GroupResource }

/** Each record with the keys that are readable before and after. Records that name an unused key are cleared first. */
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
 * All resources that have a record. Read only after the Lease of this server has changed: a server that relies on the old
 * Lease stores its record under a guard of that Lease, so no such record can follow. Otherwise:
 *
 * 1. A decides to write gadgets under key `one`, which the Lease of B names.
 * 2. B reloads a file without `one`. No record names `one`.
 * 3. A stores its entry. B does not know gadgets, and has dropped the key.
 */
async function recordedResources(store: Pick<Store, 'list'>, signal: AbortSignal): Promise<GroupResource[]> {
  const { entries } = await store.list({ prefix: agreementPrefix }, signal)
  return entries.map((entry) => agreementKind.decode(entry).spec)
}

/** Adds encryption between a server and its store. */
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
