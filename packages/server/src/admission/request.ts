import type { ApiObject, JsonObject, ResourceDefinition } from '@strata/api'
import type { User } from '../authentication/index.ts'
import type { Codec } from '../codec/index.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** A resource in one served version: what a path names. */
export interface AdmittedResource {
  readonly definition: ResourceDefinition
  readonly codec: Codec
  readonly group: string
  readonly versionName: string
  readonly apiVersion: string
}

/** Where something is written into the audit log; `level` is what the policy must ask for at least. */
export type Annotate = (key: string, value: string, level: 'Metadata' | 'Request') => void

/** What somebody wants to do, for those who may change or refuse it. */
export interface AdmissionRequest {
  readonly operation: Operation
  readonly resource: AdmittedResource
  /** '' for the object itself. */
  readonly subresource: string
  /** What the objects below are: the resource, or what its subresource speaks, such as a Scale. */
  readonly shown: AdmittedResource
  /** '' outside of namespaces. Of a namespace, itself. */
  readonly namespace: string
  /** '' if it is yet to be generated. */
  readonly name: string
  /** In the version of the request. Asked for only if somebody wants to see it. */
  readonly object: () => ApiObject | undefined
  readonly oldObject: () => ApiObject | undefined
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject
  readonly dryRun: boolean
  readonly user: User
  readonly warnings: string[]
  readonly annotate?: Annotate
  readonly signal: AbortSignal
}
