import {
  type GroupResource,
  groupResourceText,
  identityNamespace,
  instanceAnnotation,
  isFenced,
  isIdentityLease,
  keyRulesOf,
  type Lease,
  leases,
  persistedKeysOf,
  plainKey,
  refusesEncryptionFile,
  rulesFor,
  storageAgreements,
} from '@strata/api'
import type { Client } from '@strata/client'
import { shortId } from '@strata/insight'
import type { KeyedResource } from './decide-rotation.ts'
import type { WantedRule } from './provider-snippet.ts'

/** The keys of every resource, as the servers have recorded them. */
export interface KeySight {
  readonly all: readonly KeyedResource[]
  readonly rejecting: readonly string[]
  /** The rules of the files that are in force, with the keys in their order. */
  readonly rules: readonly WantedRule[]
}

export async function observeKeyStates(client: Client, signal: AbortSignal): Promise<KeySight> {
  // The Leases come first: an entry of a server that starts meanwhile has no name yet, and is shown by its id.
  const listed = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
  const identities = listed.items.filter(isIdentityLease)
  const names = new Map(identities.map((each) => [each.metadata.name ?? '', nameOf(each)]))
  const { items } = await client.resource(storageAgreements, 'v1alpha1').list({}, signal)
  const all = items.map(
    ({ spec, status }): KeyedResource => ({
      resource: groupResourceText(spec),
      persistedKeys: persistedKeysOf(status),
      isFenced: isFenced(status),
      servers: status.servers.map(({ serverID, writeKey, readableKeys, wantedKey, keyProblem }) => ({
        ...{ serverID, name: names.get(serverID) ?? shortId(serverID), writeKey, readableKeys },
        ...{ wantedKey, keyProblem },
      })),
    }),
  )
  return { all, rejecting: identities.filter(refusesEncryptionFile).map(nameOf), rules: rulesOf(identities) }
}

function nameOf({ metadata: { name = '', annotations = {} } }: Lease): string {
  return annotations[instanceAnnotation] ?? shortId(name)
}

/** Each set of resources once, as the first server has it. */
function rulesOf(identities: readonly Lease[]): readonly WantedRule[] {
  const found = new Map<string, WantedRule>()
  for (const { resources, writes, reads } of identities.flatMap((each) => keyRulesOf(each) ?? [])) {
    const text = resources.join()
    const keys = writes === undefined ? reads : [writes, ...reads.filter((each) => each !== writes)]
    if (!found.has(text)) found.set(text, { resources, keys })
  }
  return [...found.values()]
}

/** Those that are or were encrypted. */
export function encryptedOf(all: readonly KeyedResource[]): readonly KeyedResource[] {
  const isKeyed = (keys: readonly string[]): boolean => keys.some((each) => each !== plainKey)
  return all.filter(
    ({ servers }) =>
      servers.some((each) => isKeyed(each.readableKeys)) ||
      servers.some(({ writeKey }) => writeKey !== plainKey),
  )
}

/** The rules of a file that are about these resources; one rule that names them where there is none. */
export function rulesAbout(
  rules: readonly WantedRule[],
  resources: readonly GroupResource[],
): readonly WantedRule[] {
  const about = new Set(resources.flatMap((each) => rulesFor(rules, each)))
  const found = rules.filter((each) => about.has(each))
  return found.length > 0 ? found : [{ resources: resources.map(groupResourceText), keys: [plainKey] }]
}
