import type { ApiObject, JsonObject, ResourceDefinition } from '@strata/api'
import type { User } from '../authentication/index.ts'
import type { Codec } from '../codec/index.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** A resource in one served version, as a path names it. */
export interface AdmittedResource {
  readonly definition: ResourceDefinition
  readonly codec: Codec
  readonly group: string
  readonly versionName: string
  readonly apiVersion: string
}

/** Adds an annotation to the audit log; `level` is the least audit level that includes it. */
export type Annotate = (key: string, value: string, level: 'Metadata' | 'Request') => void

/** A request for admission webhooks. */
export interface AdmissionRequest {
  readonly operation: Operation
  readonly resource: AdmittedResource
  /** '' for the object itself. */
  readonly subresource: string
  /** The resource of the objects below: that of the request, or that of its subresource, such as a Scale. */
  readonly shown: AdmittedResource
  /** '' outside of namespaces. For a namespace, its own name. */
  readonly namespace: string
  /** '' if it is yet to be generated. */
  readonly name: string
  /** In the version of the request. Computed only if a webhook needs it. */
  readonly object: () => ApiObject | undefined
  readonly oldObject: () => ApiObject | undefined
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject
  readonly dryRun: boolean
  readonly user: User
  readonly warnings: string[]
  readonly annotate?: Annotate | undefined
  readonly signal: AbortSignal
}
