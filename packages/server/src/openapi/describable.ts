import type { Schema } from '@strata/api'
import type { ServedVerbs } from '../discovery/index.ts'

/** What the documents need to know of a resource in one served version; the registry's resources are such. */
export interface DescribableResource {
  /** Of the path; what is stored may be of another. */
  readonly group: string
  readonly versionName: string
  readonly apiVersion: string
  readonly definition: {
    readonly kind: string
    readonly listKind: string
    readonly plural: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly typed?: boolean
    /** Answered and not stored: there are no lists of it. */
    readonly isReview?: boolean
    readonly isCustom?: boolean
    readonly selectableFields?: readonly string[]
    readonly versions: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

export interface DescribableApi {
  /** Another list whenever something else is served. */
  readonly resources: readonly DescribableResource[]
}

/** What can be done with a resource, told by whoever routes requests to it. */
export interface DescribableRoutes extends ServedVerbs {
  /** The media types of patches that it takes. */
  // biome-ignore lint/suspicious/noExplicitAny: a function that takes any narrower resource fits here.
  patchTypesOf(resource: any): readonly string[]
  /** Of a kind that a part of a resource takes and gives, and that is no resource itself. */
  schemaOfPart(kind: string): Schema | undefined
  /** Whether documents of discovery say that all servers have the same. */
  readonly isCompared?: boolean
}
