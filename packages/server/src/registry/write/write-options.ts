import type { ApiObject } from '@strata/api'
import type { Annotate } from '../../admission/index.ts'
import type { User } from '../../authentication/index.ts'
import type { ServedResource } from '../served/served-api.ts'

/** How a client wants an object to be written. */
export interface WriteOptions {
  /** Does everything but the write itself. */
  readonly dryRun: boolean
  /** The manager of the changed fields. */
  readonly manager: string
  readonly requester: WriteRequester
}

/** The subresource of a write, and its view of the object where it is not a part of it. */
export interface WriteWay {
  readonly subresource?: string | undefined
  readonly view?: SubresourceView
}

export interface SubresourceView {
  readonly shown: ServedResource
  /** The view of an object in the version of the request. */
  readonly of: (object: ApiObject) => ApiObject
}

/** How a write is planned. */
export interface PlanOptions extends WriteOptions {
  readonly subresource?: string | undefined
  /** The object already has its managedFields. */
  readonly owned?: boolean
  /** The client sent the whole object as a replacement. */
  readonly replaces?: boolean
  /** Whether the stored object has fields that this release does not know, if that is known already. */
  readonly holdsUnknown?: boolean
}

/** The requester of a write. The server itself may write everything. */
export type WriteRequester = 'system' | ClientRequester

export interface ClientRequester {
  readonly user: User
  /** The verb of the request, which is authorized already. */
  readonly verb: string
  /** The name in the path; '' where the body names the object. */
  readonly name: string
  readonly request: RequestNotes
}

/** The request as admission webhooks see it, and where they can add to its answer. */
export interface RequestNotes {
  readonly info: { readonly query: URLSearchParams }
  readonly warnings: string[]
  readonly audit?: { readonly annotate: Annotate }
}

/** A write that is about to happen, for checks of the requester. */
export interface IntendedWrite {
  readonly resource: ServedResource
  readonly requester: ClientRequester
  /** Undefined if the object is deleted. */
  readonly next: ApiObject | undefined
  readonly stored: ApiObject | undefined
}

/** Throws if the client may not write this object, though it may write the resource. Waits only if another server decides. */
export type WriteCheck = (write: IntendedWrite) => void | Promise<void>

/** For writes of the server itself. */
export const systemWrite: WriteOptions = { dryRun: false, manager: 'kube-apiserver', requester: 'system' }
