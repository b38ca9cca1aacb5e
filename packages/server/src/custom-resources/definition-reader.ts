import type { CustomResourceDefinition } from '@strata/api'
import type { Codec } from '../codec/index.ts'

/**
 * A definition without its versions and the owners of its fields. To decide about one, all others of its group are looked
 * at; with their schemas, which are most of them, every definition of a project would cost as much as all of them.
 */
export type CrdSummary = CustomResourceDefinition

/** Reads definitions as they are stored. To parse one takes milliseconds, so what was read for one purpose serves others. */
export class DefinitionReader {
  readonly #codec: Codec | undefined
  /** Kept as long as the stored bytes are. */
  readonly #summaries = new WeakMap<Uint8Array, CrdSummary>()

  constructor(codec: Codec | undefined) {
    this.#codec = codec
  }

  /** The whole of it, to be looked at and not to be changed. */
  read(stored: Uint8Array): CustomResourceDefinition {
    const crd = this.copyOf(stored)
    if (!this.#summaries.has(stored)) this.#summaries.set(stored, summaryOf(crd))
    return crd
  }

  summaryOf(stored: Uint8Array): CrdSummary {
    return this.#summaries.get(stored) ?? summaryOf(this.read(stored))
  }

  /** For those who make another of it. */
  copyOf(stored: Uint8Array): CustomResourceDefinition {
    return this.#codec?.decode(stored).hub as CustomResourceDefinition
  }
}

/** It shares its parts with the definition. */
function summaryOf({ metadata, spec, ...rest }: CustomResourceDefinition): CrdSummary {
  const { managedFields: _, ...others } = metadata
  return { ...rest, metadata: others, spec: { ...spec, versions: null } }
}
