import type { ApiObject } from '@strata/api'
import {
  isAbsence,
  isConflict,
  isNotFoundOrForbidden,
  type ObjectReference,
  type ResourceClient,
} from '@strata/client'

export type MirrorResult = 'success' | 'conflict' | 'refused' | 'failed'

/** Called for each write that was sent to the aggregator. */
export type MirrorObserver = (write: { readonly resource: string; readonly result: MirrorResult }) => void

/** The aggregator does not serve the resource, or not to this user. Only its administrator can change that. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered'
}

/** One resource in the aggregator. */
export class AggregatorObjects<T extends ApiObject> {
  readonly client: ResourceClient<T>
  readonly #observe: MirrorObserver

  constructor(client: ResourceClient<T>, observe: MirrorObserver) {
    this.client = client
    this.#observe = observe
  }

  get resource(): string {
    return this.client.address.resource
  }

  /** Undefined: certainly absent. Throws if that is not known. */
  async read(reference: ObjectReference, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await this.client.get(reference, signal)
    } catch (error) {
      if (isAbsence(error, this.client.address, reference.name)) return undefined
      throw offered(error)
    }
  }

  /**
   * Sends one write. False: the object has changed since it was read. After any other failure the outcome may be unknown; the
   * caller reads the object again either way, before its next write.
   */
  async write(name: string, send: (client: ResourceClient<T>) => Promise<unknown>): Promise<boolean> {
    const note = (result: MirrorResult): void => this.#observe({ resource: this.resource, result })
    try {
      await send(this.client)
      note('success')
      return true
    } catch (error) {
      if (isConflict(error) || isAbsence(error, this.client.address, name)) {
        note('conflict')
        return false
      }
      note(isNotFoundOrForbidden(error) ? 'refused' : 'failed')
      throw offered(error)
    }
  }
}

/** Call it for errors that are no proof of an absence. */
export function offered(error: unknown): unknown {
  return isNotFoundOrForbidden(error) ? new NotOffered(String(error), { cause: error }) : error
}
