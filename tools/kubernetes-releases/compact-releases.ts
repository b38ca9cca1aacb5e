import { storageVersionHash } from '@strata/api'
import type { ReleaseFiles } from './read-release.ts'
import type { ResourceFacts } from './release-facts.ts'

/** Releases as ranges of minor numbers: `1.19-1.24`, `1.19-1.20,1.25`. By version, the newest last. */
type Ranges = Readonly<Record<string, string>>

/** The table as it is shipped (packages/cli/src/check/releases). */
export interface CompactTable {
  readonly origin: {
    readonly repository: string
    readonly tags: Readonly<Record<string, string>>
  }
  readonly resources: Readonly<Record<string, CompactResource>>
}

interface CompactResource {
  readonly kind: string
  readonly showsObjectsOf?: string
  readonly served?: Ranges
  readonly optional?: Ranges
  readonly stored?: Ranges
  readonly decodable?: Ranges
}

export interface FactsOfRelease {
  readonly minor: number
  readonly tag: string
  readonly resources: readonly ResourceFacts[]
}

export function compact(releases: readonly FactsOfRelease[]): CompactTable {
  const all = releases.flatMap(({ minor, resources }) => resources.map((each) => ({ minor, ...each })))
  const names = [...new Set(all.map(({ name }) => name))].sort()
  return {
    origin: {
      repository: 'github.com/kubernetes/kubernetes',
      tags: Object.fromEntries(releases.map(({ minor, tag }) => [`1.${minor}`, tag])),
    },
    resources: Object.fromEntries(
      names.map((name) => {
        const own = all.filter((each) => each.name === name)
        const newest = own.at(-1)
        if (!newest) throw new Error(name)
        const shown = newest.showsObjectsOf
        return [
          name,
          {
            kind: newest.kind,
            ...(shown === undefined ? {} : { showsObjectsOf: shown }),
            ...rangesOf('served', own, ({ served }) => served),
            ...rangesOf('optional', own, ({ optional }) => optional),
            ...rangesOf('stored', own, ({ stored }) => (stored === undefined ? [] : [stored])),
            ...rangesOf('decodable', own, ({ decodable }) => decodable),
          },
        ]
      }),
    ),
  }
}

function rangesOf(
  field: string,
  own: ReadonlyArray<ResourceFacts & { readonly minor: number }>,
  versionsOf: (facts: ResourceFacts) => readonly string[],
): Readonly<Record<string, Ranges>> {
  const versions = [...new Set(own.flatMap(versionsOf))].sort()
  if (versions.length === 0) return {}
  const ranges = versions.map((version) => [
    version,
    rangeText(own.filter((each) => versionsOf(each).includes(version)).map(({ minor }) => minor)),
  ])
  return { [field]: Object.fromEntries(ranges) }
}

export function rangeText(minors: readonly number[]): string {
  const parts: Array<{ from: number; to: number }> = []
  for (const minor of [...minors].sort((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last && minor <= last.to + 1) last.to = minor
    else parts.push({ from: minor, to: minor })
  }
  return parts.map(({ from, to }) => (from === to ? `1.${from}` : `1.${from}-1.${to}`)).join(',')
}

/**
 * Compares the facts with upstream's list of storage version hashes, which its own test keeps to what a server answers. The
 * test also has versions that are removed in the release. Returns the differences.
 */
export function compareWithHashes(release: ReleaseFiles, facts: readonly ResourceFacts[]): string[] {
  return [...release.hashes].flatMap(([path, hash]) => {
    const parts = path.split('/')
    const resource = parts.at(-1) ?? ''
    const apiVersion = parts.slice(0, -1).join('/')
    const name = parts.length === 3 ? `${resource}.${parts[0]}` : resource
    const own = facts.find((each) => each.name === name)
    const stored = facts.find((each) => each.name === (own?.showsObjectsOf ?? name))?.stored
    if (!own || stored === undefined) return [`${release.tag} ${path}: not in the table`]
    const isOff = own.optional.includes(apiVersion) ? [`${release.tag} ${path}: not served by default`] : []
    const isSame = release.otherHashes.includes(resource) || storageVersionHash(stored, own.kind) === hash
    return isSame ? isOff : [...isOff, `${release.tag} ${path}: the hash ${hash} is not of ${stored}`]
  })
}
