import type { ApiObject } from '@strata/api'
import type { Client, MergePatch, ResourceAddress, ResourceClient, WriteOptions } from '@strata/client'
import { isAbsence, MalformedAnswer } from '@strata/client'
import type { ListedObject } from './page-source.ts'

/** The ways to rewrite an object, the cheapest first. */
export type Way = 'patch' | 'update' | 'status'

/** Whether the rewrite changed the stored bytes. Unknown without a resourceVersion, or with dryRun. */
export type Rewritten =
  | { readonly kind: 'moved' }
  /** The object was already stored as it would be written. */
  | { readonly kind: 'stood'; readonly resourceVersion: string }
  | { readonly kind: 'unknown' }

export interface RewriterOptions {
  readonly client: Client
  readonly address: ResourceAddress
  readonly dryRun: boolean
}

const migratorFieldManager = 'strata-migrator'

/** Writes objects unchanged, so that the server stores them in its current encoding. */
export class Rewriter {
  readonly address: ResourceAddress
  readonly #metadata: ResourceClient
  readonly #whole: ResourceClient
  readonly #options: WriteOptions
  readonly #dryRun: boolean

  constructor({ client, address, dryRun }: RewriterOptions) {
    this.address = address
    this.#metadata = client.metadata(address)
    this.#whole = client.resource(address)
    this.#dryRun = dryRun
    this.#options = { fieldManager: migratorFieldManager, ...(dryRun ? { dryRun } : {}) }
  }

  rewrite(object: ListedObject, way: Way, signal: AbortSignal): Promise<Rewritten> {
    return way === 'update' ? this.#update(object, signal) : this.#patch(object, way, signal)
  }

  /** The resourceVersion that the object has now; undefined if it is gone. */
  async look(object: ListedObject, signal: AbortSignal): Promise<ListedObject | undefined> {
    try {
      const { metadata } = await this.#metadata.get(object, signal)
      const { resourceVersion } = metadata
      return { ...object, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
    } catch (error) {
      if (isAbsence(error, this.address, object.name)) return undefined
      throw error
    }
  }

  /**
   * A patch without a change, with the listed resourceVersion as a precondition. So if the resourceVersion changes, this write
   * changed it: the stored bytes were stale, and no other client has written them meanwhile.
   */
  async #patch(object: ListedObject, way: 'patch' | 'status', signal: AbortSignal): Promise<Rewritten> {
    const { resourceVersion } = object
    const patch: MergePatch = resourceVersion === undefined ? {} : { metadata: { resourceVersion } }
    const options = way === 'status' ? { ...this.#options, subresource: 'status' } : this.#options
    return this.#compare(resourceVersion, await this.#metadata.patch(object, patch, signal, options))
  }

  /**
   * Reads the object and sends it back unchanged, with its uid and resourceVersion. Without them, a server that creates by update
   * would create an object again that was deleted a moment ago.
   */
  async #update(object: ListedObject, signal: AbortSignal): Promise<Rewritten> {
    const text = await this.#whole.getText(object, signal)
    const before = resourceVersionIn(text)
    const after = await this.#metadata.putText(object, text, signal, this.#options)
    return this.#compare(before, after)
  }

  #compare(before: string | undefined, { metadata }: ApiObject): Rewritten {
    if (this.#dryRun || before === undefined) return { kind: 'unknown' }
    return metadata.resourceVersion === before
      ? { kind: 'stood', resourceVersion: before }
      : { kind: 'moved' }
  }
}

function resourceVersionIn(text: string): string | undefined {
  try {
    const { metadata }: ApiObject = JSON.parse(text)
    return metadata.resourceVersion
  } catch (cause) {
    throw new MalformedAnswer(`not an object: ${JSON.stringify(text.slice(0, 200))}`, { cause })
  }
}
