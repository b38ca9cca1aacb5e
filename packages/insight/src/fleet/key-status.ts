import {
  type AgreementEntry,
  type AgreementStatus,
  keyWaitsOf,
  keyWaitText,
  missingKeys,
  opensKey,
  persistedKeysOf,
  plainKey,
} from '@strata/api'
import { type ServerStatus, shownServer } from './server-status.ts'

/** The keys of stored objects; undefined if none is encrypted. */
export function describeKeys(status: AgreementStatus): readonly string[] | undefined {
  const persistedKeys = persistedKeysOf(status)
  return persistedKeys.every((key) => key === plainKey) ? undefined : persistedKeys
}

/** Servers that wait to write under another key, and the servers they wait for; undefined if there are none. */
export function describeKeyWaits(
  { servers: entries }: Pick<AgreementStatus, 'servers'>,
  servers: readonly ServerStatus[],
): readonly string[] | undefined {
  const shown = (id: string): string => {
    const server = servers.find(({ serverID }) => serverID === id)
    return server ? shownServer(server) : id
  }
  const keyWaits = keyWaitsOf(entries).map((each) => keyWaitText(each, shown))
  return keyWaits.length === 0 ? undefined : keyWaits
}

/** Servers that write under different keys, each with its own (agreement.md, rule 17). */
export function findKeyDifferences(
  servers: readonly ServerStatus[],
  entries: ReadonlyMap<string, AgreementEntry>,
): string[] {
  const writers = servers.flatMap(({ name, serverID }) => {
    const entry = entries.get(serverID)
    return entry && entry.refusesWrites !== true ? [{ name, writeKey: entry.writeKey }] : []
  })
  if (new Set(writers.map(({ writeKey }) => writeKey)).size < 2) return []
  const who = writers.map(({ name, writeKey }) => `${name} ${writeKey}`).join(', ')
  return [
    `servers write under different keys (${who}): give all of them the same first key; one that has it writes with it as soon as all others read it`,
  ]
}

/** A server writes under a key that another server does not have, and so cannot read. */
export function findUnreadKeys(
  servers: readonly ServerStatus[],
  entries: ReadonlyMap<string, AgreementEntry>,
): string[] {
  return servers.flatMap(({ name, serverID }) => {
    const entry = entries.get(serverID)
    if (!entry || entry.refusesWrites === true) return []
    const blind = servers
      .filter((each) => {
        const other = entries.get(each.serverID)
        return other && other.refusesWrites !== true && !opensKey(other.readableKeys, entry.writeKey)
      })
      .map((each) => each.name)
    if (blind.length === 0) return []
    const who = blind.join(' and ')
    return [
      `${name} writes under ${entry.writeKey}, which ${who} cannot decrypt; give ${who} that key, or immediately stop ${who} or ${name}`,
    ]
  })
}

/** Servers without a key that stored objects may be under: they cannot read those objects. */
export function findLackedKeys(status: AgreementStatus, servers: readonly ServerStatus[]): string[] {
  const persistedKeys = persistedKeysOf(status)
  return servers.flatMap((server) => {
    const entry = status.servers.find(({ serverID }) => serverID === server.serverID)
    const keys = entry ? missingKeys(persistedKeys, [entry]) : []
    if (keys.length === 0) return []
    const [what, them] = keys.length === 1 ? ['the key', 'it'] : ['the keys', 'them']
    return [
      `${shownServer(server)} lacks ${what} ${keys.join(', ')}: add ${them} to its --encryption-provider-config`,
    ]
  })
}
