import {
  type AgreementEntry,
  decideRemedy,
  isWrittenUnrecorded,
  migrateCommand,
  persistedVersionsOf,
  remedyText,
  type StorageAgreement,
  unknownVersion,
  versionNameOf,
} from '@strata/api'
import { type ServerStatus, shownServer } from './server-status.ts'

interface Facts {
  readonly resource: string
  readonly status: StorageAgreement['status']
  readonly servers: readonly ServerStatus[]
  readonly entries: ReadonlyMap<string, AgreementEntry>
}

/** Servers whose Lease says that they refuse the resource, because they cannot decode stored objects. */
export function findNotServed({ resource, status, servers, entries }: Facts): string[] {
  return servers
    .filter(({ refuses }) => refuses?.includes(resource))
    .map((server) => {
      const names = unreadableVersions(status, entries.get(server.serverID))
      // The record names no such version: the server has no entry yet, its entry reads all versions that are named, or the
      // objects cannot be decrypted.
      if (names.length === 0)
        return `${shownServer(server)} does not serve it and is not ready: it cannot decode or decrypt stored objects; its /readyz/storage-decodable says which, and what to do; no restart is needed after that`
      const what = `objects are stored as ${names.join(', ')}`
      return `${shownServer(server)} does not serve it and is not ready: ${what}, which it cannot decode; ${remedyFor(server, { resource, status, servers, entries })}; no restart is needed after that`
    })
}

/** Versions that may be stored and that a server cannot decode, unless its Lease already says that it refuses the resource. */
export function findUndecodable({
  resource,
  status,
  servers,
  entries,
}: Facts): readonly string[] | undefined {
  // Versions that are written now are reported as unreadable.
  const written = new Set(status.servers.map((each) => each.encodingVersion))
  const undecodable = servers.flatMap((server) => {
    const names = unreadableVersions(status, entries.get(server.serverID), written)
    if (names.length === 0 || server.refuses?.includes(resource)) return []
    return [
      `objects may be stored as ${names.join(', ')}, which ${shownServer(server)} cannot decode: ${fate(server)}; "strata census" counts them; ${remedyFor(server, { resource, status, servers, entries })}`,
    ]
  })
  return undecodable.length === 0 ? undefined : undecodable
}

/** What to do so that this server can read everything. */
function remedyFor(server: ServerStatus, { resource, status, servers, entries }: Facts): string {
  const decodable = entries.get(server.serverID)?.decodableVersions ?? []
  const writers = status.servers.filter(({ refusesWrites }) => refusesWrites !== true)
  const stored = persistedVersionsOf(status)
  const remedy = decideRemedy({
    ...{ stored, decodable },
    ...(isWrittenUnrecorded(status)
      ? {}
      : {
          written: writers.map(({ encodingVersion }) => encodingVersion),
          readable: status.servers.flatMap(({ decodableVersions }) => decodableVersions),
        }),
    releases: servers.flatMap(({ serverID, release }) => {
      const entry = entries.get(serverID)
      if (!entry || release === undefined) return []
      const { decodableVersions, preferredVersion, encodingVersion } = entry
      return [{ release, decodable: decodableVersions, writes: preferredVersion ?? encodingVersion }]
    }),
  })
  return remedyText(remedy, migrateCommand(resource))
}

/** The Lease of an older release does not say whether it refuses a resource. */
function fate({ refuses }: ServerStatus): string {
  return refuses === undefined
    ? 'if there are any, it refuses the resource, unless it was started with --allow-undecodable-storage'
    : 'if there are any, it serves the resource without them, and once it is started again it may refuse all of it'
}

function unreadableVersions(
  status: StorageAgreement['status'],
  entry: AgreementEntry | undefined,
  except: ReadonlySet<string> = new Set(),
): string[] {
  return persistedVersionsOf(status)
    .filter((each) => each !== unknownVersion && !except.has(each))
    .filter((each) => entry?.decodableVersions.includes(each) === false)
    .map(versionNameOf)
}
