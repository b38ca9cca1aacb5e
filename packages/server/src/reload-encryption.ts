import { type GroupResource, groupResourceText } from '@strata/api'
import type { World } from '@strata/world'
import { type PlacedResource, ResourcePlaces } from './codec/index.ts'
import { agreementKind, agreementPrefix } from './coordination/index.ts'
import {
  decideReload,
  EncryptedStore,
  type Encryption,
  type EncryptionConfiguration,
} from './encryption/index.ts'
import type { ReadableStore, Store } from './store/index.ts'

interface ReloadParts {
  readonly store: Pick<Store, 'list'>
  /** Has the Lease say which keys are in force; true when it does. */
  readonly tellOthers: () => Promise<boolean>
}

/**
 * Puts another configuration in force, or says why it may not be. Decided on what all records say now; what somebody does
 * between that and the moment in which everyone knows is caught by the entries (agreement.md, rule 17): a key that is
 * needed after all stays readable.
 */
export async function reloadEncryption(
  encryption: Encryption,
  { store, tellOthers }: ReloadParts,
  configuration: EncryptionConfiguration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const after = await encryption.readableBy(configuration, signal)
  const unwell = encryption.problemOf(configuration)
  if (unwell !== undefined) return unwell
  const { entries } = await store.list({ prefix: agreementPrefix }, signal)
  const refusal = decideReload(
    entries.map((entry) => {
      const { spec, status } = agreementKind.decode(entry)
      const resource: GroupResource = { group: spec.group, resource: spec.resource }
      return {
        resource: groupResourceText(resource),
        before: encryption.keysOf(resource).readable,
        after: after(resource),
        record: status,
      }
    }),
  )
  if (refusal !== undefined) return refusal
  await encryption.replace(configuration, signal)
  // In force it is all the same: what could not be made sure of is kept for longer.
  const recorded = (await tellOthers())
    ? await recordedResources(store, signal).catch(() => undefined)
    : undefined
  if (recorded) encryption.forgetFormer(recorded)
  return undefined
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
  const refused = (): Promise<never> => Promise.reject(new Error('this store is only looked at'))
  const whole: Store = {
    list: (...asked) => store.list(...asked),
    currentRevision: (...asked) => store.currentRevision(...asked),
    watch: (...asked) => store.watch(...asked),
    close: () => store.close(),
    ...{ read: refused, commit: refused, compact: refused },
  }
  return encryptStore(whole, encryption, parts)
}
