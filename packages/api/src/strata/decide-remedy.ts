import { versionNameOf } from '../meta/names.ts'
import { unknownVersion } from './persisted.ts'

/** What a known release does with one resource. */
export interface KnownRelease {
  readonly release: string
  readonly decodable: readonly string[]
  /** The version that it prefers to write. */
  readonly writes: string
}

/** A release cannot read all that may be stored of a resource. Versions by their full names. */
export interface RemedyFacts {
  readonly stored: readonly string[]
  /** The versions that the release can decode. */
  readonly decodable: readonly string[]
  /** What the running servers write now; empty if none writes, undefined if unknown. */
  readonly written?: readonly string[] | undefined
  /** What at least one of them reads; undefined if unknown. */
  readonly readable?: readonly string[] | undefined
  /** Which the reader may know by name. */
  readonly releases?: readonly KnownRelease[]
}

export type Remedy =
  /** Only objects in older versions are in the way, and a running server can read them. */
  | { readonly kind: 'Migrate' }
  /** It reads nothing of the resource: whatever is migrated, it will not. */
  | { readonly kind: 'NoMigrationHelps' }
  /** The release reads all that is written now, but no running server reads the older objects. */
  | ({ readonly kind: 'StartOne' } & Between)
  /** The servers write what it cannot read: a migration brings everything to that, and has nothing to do. */
  | ({ readonly kind: 'ReplaceWriters'; readonly unread: readonly string[] } & Between)
  /** It is unknown what the servers write: the same, if such servers exist. */
  | ({ readonly kind: 'ReplaceAny'; readonly unread: readonly string[] } & Between)

/** The release that is needed in between. */
interface Between {
  readonly reads: readonly string[]
  /** One of these. */
  readonly writes: readonly string[]
  /** The known releases that do so, in their order. */
  readonly releases: readonly string[]
}

/**
 * What to do if a release cannot decode what is stored. A migration rewrites everything in the version that the servers
 * *write*. It helps if the release reads that version. Otherwise it ends at once, reports Proven, and has changed nothing.
 */
export function decideRemedy({ stored, decodable, written, readable, releases = [] }: RemedyFacts): Remedy {
  const known = stored.filter((each) => each !== unknownVersion)
  const unreadOf = (versions: readonly string[]): string[] =>
    distinct(versions.filter((each) => !decodable.includes(each)))
  const between = (wanted: readonly string[]): Between => {
    const writes = distinct(wanted)
    const reads = distinct([...known, ...(written ?? []), ...(writes.length === 1 ? writes : [])])
    const fits = (each: KnownRelease): boolean =>
      writes.includes(each.writes) && reads.every((version) => each.decodable.includes(version))
    return { reads, writes, releases: releases.filter(fits).map(({ release }) => release) }
  }
  if (decodable.length === 0) return { kind: 'NoMigrationHelps' }
  if (!written) return { kind: 'ReplaceAny', unread: unreadOf(known), ...between(decodable) }
  const unread = unreadOf(written)
  if (unread.length > 0) return { kind: 'ReplaceWriters', unread, ...between(decodable) }
  if (written.length === 0) return { kind: 'StartOne', ...between(decodable) }
  const isLeftUnread = readable !== undefined && known.some((each) => !readable.includes(each))
  return isLeftUnread ? { kind: 'StartOne', ...between(written) } : { kind: 'Migrate' }
}

/** The command as it stands in a remedy. */
export const migrateCommand = (resources: string): string => `"${migrateLine(resources)}"`

const migrateLine = (resources: string): string => `strata migrate ${resources}`

/** The commands that are part of a remedy. */
export const remedyCommands = (remedy: Remedy, resource: string): readonly string[] =>
  remedy.kind === 'NoMigrationHelps' ? [] : [migrateLine(resource)]

/** In the imperative, to be put behind a colon or a semicolon. `migrate` is the command, in quotes. */
export function remedyText(remedy: Remedy, migrate: string): string {
  switch (remedy.kind) {
    case 'Migrate':
      return `migrate first (${migrate})`
    case 'NoMigrationHelps':
      return 'no migration helps: take a release that has this resource'
    case 'StartOne':
      return `start a server of ${betweenText(remedy)}, then run ${migrate}`
    case 'ReplaceWriters':
      return `bring all servers that write ${namesOf(remedy, remedy.unread).join(' or ')} to ${betweenText(remedy)}, then run ${migrate} (before that, it changes nothing)`
    case 'ReplaceAny':
      return `start a server of ${betweenText(remedy)}, replace any server that writes ${namesOf(remedy, remedy.unread).join(' or ')}, then run ${migrate}`
  }
}

function betweenText(remedy: Between): string {
  const [first] = remedy.releases
  const example = first === undefined ? '' : ` (for instance ${first})`
  const reads = namesOf(remedy, remedy.reads).join(' and ')
  return `a release that reads ${reads} and writes ${namesOf(remedy, remedy.writes).join(' or ')}${example}`
}

/** v1 for example.dev/v1, unless that could be another one: events are v1 and events.k8s.io/v1. */
function namesOf({ reads, writes }: Between, versions: readonly string[]): readonly string[] {
  const all = distinct([...reads, ...writes])
  const isClear = new Set(all.map(versionNameOf)).size === all.length
  return isClear ? versions.map(versionNameOf) : versions
}

const distinct = (versions: readonly string[]): string[] => [...new Set(versions)].sort()
