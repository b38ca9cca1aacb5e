import type { Verb } from '@strata/api'

/** The attributes of a resource that discovery needs; the registry's resources have them. */
export interface DiscoverableResource {
  /** The group of the path; the stored object may have another. */
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
  /** The CRD is being deleted: instances are removed, and none may be created. */
  readonly isTerminating?: boolean
  readonly codec: { readonly preferredVersion: string }
}

export interface DiscoverableApi {
  readonly resources: readonly DiscoverableResource[]
  /** Versions registered by APIServices; a new list whenever it changes. */
  readonly registered?: readonly RegisteredVersion[]
}

/** A version of a group with an APIService that the servers did not create themselves. */
export interface RegisteredVersion {
  readonly group: string
  readonly versionName: string
  readonly groupPriority: number
  readonly versionPriority: number
  /** Whether the APIService names another server. */
  readonly isRemote: boolean
  /** The resources of that server in the aggregated form; undefined while they are unknown. */
  readonly resources?: readonly unknown[] | undefined
  /** What that server says about the version in OpenAPI; undefined while it is unknown. The same object while it does not change. */
  readonly openApi?: RemoteOpenApi | undefined
}

/** The OpenAPI documents of a version that another server serves. */
export interface RemoteOpenApi {
  /** The OpenAPI v3 document of the version. */
  readonly document: { readonly body: Uint8Array; readonly hash: string } | undefined
  /** The parts of the OpenAPI v2 document that describe the version, as JSON. */
  readonly swagger: Uint8Array | undefined
}

/** The verbs of a resource and its subresources; the router of requests provides it. */
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
  /** The kind of its body, if it differs from that of the resource. */
  kind?: { readonly group: string; readonly version: string; readonly kind: string },
]
