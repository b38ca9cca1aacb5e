import { type GroupResource, unknownVersion } from '@strata/api'
import type { ReleaseTable } from '@strata/api/kubernetes-releases'

/** What a Kubernetes cluster shows of one of its built-in resources. */
export interface BuiltInResource extends GroupResource {
  /** As in the table: `deployments.apps`. */
  readonly name: string
  /** Versions by their full names. */
  readonly served: readonly string[]
  /** What the servers write now, by StorageVersions and discovery; a hash where no version is known for it. */
  readonly written: readonly string[]
  /** Everything that may be stored, by a StorageState that is kept up to date; `Unknown` means any version besides. */
  readonly persisted?: readonly string[]
  /** A list shows that it has no objects. */
  readonly isEmpty: boolean
}

/** Versions in which objects may be stored. */
export interface StoredBefore {
  /** A server that this cluster has run has written them. */
  readonly written: readonly string[]
  /** Nothing else can be stored; at least the versions of `written`. */
  readonly possible: readonly string[]
}

/**
 * What may be stored when the cluster leaves the release in which it is.
 * - It can only be what this release reads: anything else would be unreadable already.
 * - Versions that appeared later than the first release of the table have their whole history there. A version that no
 *   release stored by default is not stored.
 * - Versions that are older than the table may have been stored before it.
 * `bornAt` is the oldest release that wrote an object which is still as it was written: then the history is known.
 */
export function storedBefore(
  table: ReleaseTable,
  { name, served, written, persisted, isEmpty }: BuiltInResource,
  { from, bornAt }: { readonly from: number; readonly bornAt?: number | undefined },
): StoredBefore {
  const now = table.factsOf(name, from)
  const named = written.filter(isVersion)
  const writes = distinct([...(now?.stored === undefined || named.length > 0 ? [] : [now.stored]), ...named])
  const unnamed = written.filter((each) => !named.includes(each))
  if (isEmpty) return { written: writes, possible: [...writes, ...unnamed] }
  if (persisted && !persisted.includes(unknownVersion)) {
    const all = distinct([...persisted, ...writes])
    return { written: all, possible: [...all, ...unnamed] }
  }
  // Until everything is migrated once, a StorageState has `Unknown` beside what was written since it began.
  const since = distinct([...writes, ...(persisted ?? []).filter((each) => each !== unknownVersion)])
  // An administrator who switched on such a version may have done so in earlier releases too.
  const usesOptional = served.some((each) => now?.optional.includes(each))
  const storedIn = (minor: number): string[] => {
    const facts = table.factsOf(name, minor)
    const isOn = facts !== undefined && (usesOptional || facts.served.length > 0)
    return isOn && facts.stored !== undefined ? [facts.stored] : []
  }
  const releases = Array.from({ length: from - table.first + 1 }, (_, index) => table.first + index)
  const history = releases.filter((minor) => minor >= (bornAt ?? table.first)).flatMap(storedIn)
  if (bornAt !== undefined) {
    const all = distinct([...history, ...since])
    return { written: all, possible: [...all, ...unnamed] }
  }
  const older = table.factsOf(name, table.first)?.decodable ?? []
  const possible = (now?.decodable ?? []).filter((each) => history.includes(each) || older.includes(each))
  return { written: since, possible: distinct([...possible, ...since, ...unnamed]) }
}

/** Hashes are in base 64, and end in `=`. */
const isVersion = (text: string): boolean => !text.endsWith('=')

const distinct = (versions: readonly string[]): string[] => [...new Set(versions)].sort()
