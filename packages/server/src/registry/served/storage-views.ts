import {
  agreementResource,
  apiVersionOf,
  isKind,
  type ResourceDefinition,
  storageAgreements,
  storageCensuses,
  storageReencodes,
  type Verb,
} from '@strata/api'
import type { ServedResource } from './served-api.ts'

/** A path that shows a part of a stored resource. */
export interface StorageView {
  /** Only records of this group are shown, and only questions about it are answered. */
  readonly group: string
  /** Whether the object of this name is shown. */
  shows(name: string): boolean
}

/** The resources that have views. All are cluster-scoped, of strata.dev, and have one version. */
export const storageResources = [
  storageAgreements,
  storageCensuses,
  storageReencodes,
] as unknown as readonly ResourceDefinition[]
const readOnly: readonly Verb[] = ['get', 'list', 'watch']

/**
 * The storage resources that an aggregated server serves in the groups of its own kinds. An aggregator passes on the paths of
 * those groups only, so a client of the aggregator could not reach them in `strata.dev`.
 */
export class StorageViews {
  readonly #groups: ReadonlySet<string>
  readonly #viewed: readonly Pick<ServedResource, 'definition' | 'codec' | 'apiVersion'>[]
  /** Kept, because documents are made again for new resources. By version. */
  readonly #made = new Map<string, readonly ServedResource[]>()

  /** `own` are the resources of this server, and `kinds` those whose groups get views. */
  constructor(own: readonly ServedResource[], kinds: readonly ResourceDefinition[]) {
    this.#groups = new Set(kinds.map(({ group }) => group))
    this.#viewed = own
      .filter(({ definition }) => storageResources.some((each) => isKind(definition, each)))
      .map(({ definition, codec, apiVersion }) => {
        const { isReview, strategy } = definition
        const shown = { ...definition, shortNames: [], categories: [], subresources: {} }
        const verbs = { strategy: { ...strategy, verbs: readOnly } }
        return { definition: isReview ? shown : { ...shown, ...verbs }, codec, apiVersion }
      })
  }

  /** The views in all versions that the served resources have in those groups. */
  beside(served: readonly ServedResource[]): readonly ServedResource[] {
    if (this.#groups.size === 0) return []
    const versions = new Map<string, readonly ServedResource[]>()
    for (const { group, versionName } of served) {
      const path = apiVersionOf(group, versionName)
      if (this.#groups.has(group) && !versions.has(path))
        versions.set(path, this.#of(path, group, versionName))
    }
    return [...versions.values()].flat()
  }

  #of(path: string, group: string, versionName: string): readonly ServedResource[] {
    const known = this.#made.get(path)
    if (known) return known
    const view: StorageView = { group, shows: (name) => agreementResource(name).group === group }
    const made = this.#viewed.map((each) => ({ ...each, group, versionName, view }))
    this.#made.set(path, made)
    return made
  }
}
