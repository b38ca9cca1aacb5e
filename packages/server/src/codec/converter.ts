import { type ApiObject, cloneJson } from '@strata/api'

/** Converts objects of a custom resource to another of its versions. */
export interface Converter {
  /** Whether a webhook is called, so that answers take time and may fail. */
  readonly needsWebhook: boolean
  /** Only the apiVersion changes: a caller that owns the object may change it in place, without a copy. */
  readonly renames?: true
  /** For webhooks: the time, so that their answers expire. A webhook may be updated. */
  readonly nowMs?: () => number
  /** Returns as many objects as were given, in the same order. They are new; the input is unchanged. */
  convert(
    objects: readonly ApiObject[],
    apiVersion: string,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>
}

/**
 * Conversion strategy None: only the apiVersion changes. The remainder is still copied: another schema prunes it next, and the
 * original must keep the fields of its own version.
 */
export const renamingConverter: Converter = {
  needsWebhook: false,
  renames: true,
  convert: (objects, apiVersion) => objects.map((object) => ({ ...cloneJson(object), apiVersion })),
}

/** A conversion webhook must be called first. A caller that can wait calls it and repeats its work with the answer. */
export class ConversionPending extends Error {
  override readonly name = 'ConversionPending'
  readonly ask: () => Promise<void>
  constructor(message: string, ask: () => Promise<void>) {
    super(message)
    this.ask = ask
  }
}

/** How often one piece of work may need a conversion: once per version that some field manager has used, and more. */
const questions = 100

/** Runs synchronous work, and repeats it after each conversion that it needs. */
export async function whenConverted<T>(work: () => T | Promise<T>): Promise<T> {
  for (let asked = 0; ; asked++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConversionPending) || asked >= questions) throw error
      await error.ask()
    }
  }
}
