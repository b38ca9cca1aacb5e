import type { Verb } from '@strata/api'

/** What discovery needs to know of a resource; the registry's resources are such. */
export interface DiscoverableResource {
  /** Of the path; what is stored may be of another. */
  readonly group: string
  readonly definition: {
    readonly group: string
    readonly kind: string
    readonly plural: string
    readonly singular: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
    readonly isReview?: boolean
    readonly isCustom?: boolean
  }
  readonly versionName: string
  readonly apiVersion: string
  /** Instances go, and none may come. */
  readonly isTerminating?: boolean
  readonly codec: { readonly preferredVersion: string }
}

export interface DiscoverableApi {
  readonly resources: readonly DiscoverableResource[]
  /** What people have registered besides; another list whenever it changes. */
  readonly registered?: readonly RegisteredVersion[]
}

/** A version of a group of which an APIService tells that was not made by the servers themselves. */
export interface RegisteredVersion {
  readonly group: string
  readonly versionName: string
  readonly groupPriority: number
  readonly versionPriority: number
  /** Whether another server is said to have it. */
  readonly isRemote: boolean
}

/** What can be done with a resource and its parts; told by whoever routes requests to it. */
export interface ServedVerbs {
  // biome-ignore lint/suspicious/noExplicitAny: a function that takes any narrower resource fits here.
  of(resource: any): readonly Verb[]
  /** By name, sorted; each with its verbs. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  ofSubresources(resource: any): readonly DiscoverableSubresource[]
}

export type DiscoverableSubresource = readonly [
  name: string,
  verbs: readonly string[],
  /** What it takes and gives, where that is something else than the resource itself. */
  kind?: { readonly group: string; readonly version: string; readonly kind: string },
]
