import type { CustomResourceDefinition } from '@strata/api'
import type { Codec } from '../codec/index.ts'

/**
 * A CRD without its versions and managedFields. A decision about one CRD reads all others of its group; with their schemas, which
 * are most of their size, each CRD of a project would cost as much as all of them.
 */
export type CrdSummary = CustomResourceDefinition

/** Reads stored CRDs. Parsing one takes milliseconds, so the result is shared. */
export class DefinitionReader {
  readonly #codec: Codec | undefined
  /** Kept as long as the stored bytes. */
  readonly #summaries = new WeakMap<Uint8Array, CrdSummary>()

  constructor(codec: Codec | undefined) {
    this.#codec = codec
  }

  /** The whole CRD, read-only. */
  read(stored: Uint8Array): CustomResourceDefinition {
    const crd = this.copyOf(stored)
    if (!this.#summaries.has(stored)) this.#summaries.set(stored, summaryOf(crd))
    return crd
  }

  summaryOf(stored: Uint8Array): CrdSummary {
    return this.#summaries.get(stored) ?? summaryOf(this.read(stored))
  }

  /** A copy that the caller may change. */
  copyOf(stored: Uint8Array): CustomResourceDefinition {
    return this.#codec?.decode(stored).hub as CustomResourceDefinition
  }
}

/** Shares its parts with the CRD. */
function summaryOf({ metadata, spec, ...rest }: CustomResourceDefinition): CrdSummary {
  const { managedFields: _, ...others } = metadata
  return { ...rest, metadata: others, spec: { ...spec, versions: null } }
}
