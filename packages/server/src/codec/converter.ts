import { type ApiObject, cloneJson } from '@strata/api'

/** Makes of objects of a custom resource the same objects in another of its versions. */
export interface Converter {
  /** Whether somebody else is asked, so that answers take time and may not come. */
  readonly needsWebhook: boolean
  /** Nothing is changed but the name of the version: whoever has an object of its own may do that itself, without a copy. */
  readonly renames?: true
  /** Of one that is asked: the time, so that its answers are not taken for good. Whoever converts may learn. */
  readonly nowMs?: () => number
  /** As many objects as were given, in the same order. They are new; what was given stays as it is. */
  convert(
    objects: readonly ApiObject[],
    apiVersion: string,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]>
}

/**
 * Conversion strategy None: only the name of the version changes. The rest is a copy all the same: it is pruned by another
 * schema next, and what it was made of must not lose what only its own version knows.
 */
export const renamingConverter: Converter = {
  needsWebhook: false,
  renames: true,
  convert: (objects, apiVersion) => objects.map((object) => ({ ...cloneJson(object), apiVersion })),
}

/**
 * Somebody has to be asked first, which takes time. Whoever can wait asks, and then does again what it was about to do:
 * the answer is remembered for a while.
 */
export class ConversionPending extends Error {
  override readonly name = 'ConversionPending'
  readonly ask: () => Promise<void>
  constructor(message: string, ask: () => Promise<void>) {
    super(message)
    this.ask = ask
  }
}

/** How often a piece of work may find that it has to ask: once per version that some manager of fields has used, and more. */
const questions = 100

/** Does what does not wait, as often as it turns out that somebody has to be asked first. */
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
