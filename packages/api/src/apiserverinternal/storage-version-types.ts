import type { ApiObject } from '../meta/object.ts'

export interface ServerStorageVersion {
  readonly apiServerID: string
  readonly encodingVersion: string
  readonly decodableVersions: readonly string[]
  readonly servedVersions?: readonly string[]
}

export interface StorageVersionCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  /** Null if a client did not set it. */
  readonly lastTransitionTime: string | null
  readonly reason: string
  readonly message: string
}

export interface StorageVersionStatus {
  readonly storageVersions?: readonly ServerStorageVersion[]
  readonly commonEncodingVersion?: string
  readonly conditions?: readonly StorageVersionCondition[]
}

/**
 * KEP-2339: which server stores a resource in which version. If the resource has an agreement record, this is a projection of
 * it, and only the servers write it. All others belong to the clients that write them.
 */
export interface StorageVersion extends ApiObject {
  spec: Record<string, never>
  status: StorageVersionStatus
}
