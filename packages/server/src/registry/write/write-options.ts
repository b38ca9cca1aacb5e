import type { ApiObject } from '@strata/api'
import type { Annotate } from '../../admission/index.ts'
import type { User } from '../../authentication/index.ts'
import type { ServedResource } from '../served/served-api.ts'

/** How a client wants something written. */
export interface WriteOptions {
  /** Everything but the write itself. */
  readonly dryRun: boolean
  /** Who owns the fields that are changed. */
  readonly manager: string
  readonly requester: WriteRequester
}

/** By way of which subresource somebody writes, and what that shows of the object where it is no part of it. */
export interface WriteWay {
  readonly subresource?: string
  readonly view?: SubresourceView
}

export interface SubresourceView {
  readonly shown: ServedResource
  /** Of an object in the version of the request. */
  readonly of: (object: ApiObject) => ApiObject
}

/** How a write is planned. */
export interface PlanOptions extends WriteOptions {
  readonly subresource?: string
  /** The object says already who owns what. */
  readonly owned?: boolean
  /** The client sent the whole object, to stand in place of the stored one. */
  readonly replaces?: boolean
  /** Whether the stored object has fields that this release does not know, where that was looked at already. */
  readonly holdsUnknown?: boolean
}

/** On whose behalf something is written. The system itself may write everything. */
export type WriteRequester = 'system' | ClientRequester

export interface ClientRequester {
  readonly user: User
  /** Of the request, which was allowed already. */
  readonly verb: string
  /** Of the path; '' where the body names the object. */
  readonly name: string
  readonly request: RequestNotes
}

/** What those who are asked about a write are told of the request, and where they may add something to its answer. */
export interface RequestNotes {
  readonly info: { readonly query: URLSearchParams }
  readonly warnings: string[]
  readonly audit?: { readonly annotate: Annotate }
}

/** What a write is about to make of an object, for those who look at who does it. */
export interface IntendedWrite {
  readonly resource: ServedResource
  readonly requester: ClientRequester
  /** Undefined if the object is deleted. */
  readonly next: ApiObject | undefined
  readonly stored: ApiObject | undefined
}

/** Throws if the client may not write this, though it may write objects of this resource. */
export type WriteCheck = (write: IntendedWrite) => void

/** For what the server writes by itself. */
export const systemWrite: WriteOptions = { dryRun: false, manager: 'kube-apiserver', requester: 'system' }
