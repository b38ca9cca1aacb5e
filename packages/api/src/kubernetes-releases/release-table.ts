import { releaseName } from './kubernetes-release.ts'

/** Versions by their full names, each with the releases: `{"batch/v1": "1.21-1.37"}`. */
type Ranges = Readonly<Record<string, string>>

/** The form of kubernetes-releases.json, which tools/kubernetes-releases writes. */
interface ReleaseData {
  readonly origin: { readonly repository: string; readonly tags: Readonly<Record<string, string>> }
  readonly resources: Readonly<
    Record<
      string,
      {
        readonly kind: string
        readonly showsObjectsOf?: string
        readonly served?: Ranges
        readonly optional?: Ranges
        readonly stored?: Ranges
        readonly decodable?: Ranges
      }
    >
  >
}

/** What one release does with one resource, by default flags. */
export interface ReleaseFacts {
  readonly served: readonly string[]
  /** Served only if a flag or a feature gate says so. */
  readonly optional: readonly string[]
  readonly stored: string | undefined
  readonly decodable: readonly string[]
}

export interface ReleaseTable {
  readonly first: number
  readonly last: number
  readonly repository: string
  /** The tag that the facts of a release come from. */
  tagOf(minor: number): string | undefined
  /** Names as `deployments.apps`. */
  readonly names: readonly string[]
  kindOf(name: string): string | undefined
  /** The resource that has the objects: `events` for `events.events.k8s.io`. */
  storedName(name: string): string
  /** Undefined if the release does not have the resource. */
  factsOf(name: string, minor: number): ReleaseFacts | undefined
}

function openReleaseTable({ origin, resources }: ReleaseData): ReleaseTable {
  const minors = Object.keys(origin.tags).map((release) => Number(release.split('.')[1]))
  return {
    first: Math.min(...minors),
    last: Math.max(...minors),
    repository: origin.repository,
    tagOf: (minor) => origin.tags[releaseName(minor)],
    names: Object.keys(resources),
    kindOf: (name) => resources[name]?.kind,
    storedName: (name) => resources[name]?.showsObjectsOf ?? name,
    factsOf(name, minor) {
      const own = resources[name]
      const at = (ranges: Ranges = {}): string[] =>
        Object.keys(ranges).filter((version) => isWithin(ranges[version] ?? '', minor))
      const served = at(own?.served)
      const optional = at(own?.optional)
      if (served.length + optional.length === 0) return undefined
      return { served, optional, stored: at(own?.stored)[0], decodable: at(own?.decodable) }
    },
  }
}

/** `1.19-1.24,1.26` */
function isWithin(ranges: string, minor: number): boolean {
  return ranges.split(',').some((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map((release) => Number(release.split('.')[1]))
    return from <= minor && minor <= to
  })
}

/** Loaded only for a question about a release of Kubernetes. */
export async function loadReleaseTable(): Promise<ReleaseTable> {
  const { default: data } = await import('./kubernetes-releases.json', { with: { type: 'json' } })
  return openReleaseTable(data as ReleaseData)
}
