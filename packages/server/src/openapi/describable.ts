import type { Schema } from '@strata/api'
import type { RegisteredVersion, ServedVerbs } from '../discovery/index.ts'

/** The attributes of a resource in one served version that documents need; the registry's resources have them. */
export interface DescribableResource {
  /** The group of the path; the stored object may have another. */
  readonly group: string
  readonly versionName: string
  /** As in objects. */
  readonly apiVersion: string
  readonly definition: {
    readonly kind: string
    readonly listKind: string
    readonly plural: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly typed?: boolean
    /** Answered and not stored: it has no lists. */
    readonly isReview?: boolean
    readonly isCustom?: boolean
    readonly selectableFields?: readonly string[]
    readonly versions: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

export interface DescribableApi {
  /** A new list whenever the served resources change. */
  readonly resources: readonly DescribableResource[]
  /** Versions registered by APIServices; a new list whenever it changes. */
  readonly registered?: readonly RegisteredVersion[]
}

/** The routes of a resource; the router of requests provides them. */
export interface DescribableRoutes extends ServedVerbs {
  /** The media types of patches that it accepts. */
  // biome-ignore lint/suspicious/noExplicitAny: a function that takes any narrower resource fits here.
  patchTypesOf(resource: any): readonly string[]
  /** The schema of a kind that only a subresource uses. */
  schemaOfPart(kind: string): Schema | undefined
  /** Whether discovery documents have the field `consistent`. */
  readonly isCompared?: boolean
}
