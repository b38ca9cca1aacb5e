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
  /** Null where a client did not say. */
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
 * Seed 003: who stores a resource in which version. That of a resource with an agreement record is a projection of
 * it, and the servers'; all others belong to the clients that write them.
 */
export interface StorageVersion extends ApiObject {
  spec: Record<string, never>
  status: StorageVersionStatus
}
