import { ApiError, type ApiObject, namespacedName } from '@strata/api'
import {
  isAbsence,
  isConflict,
  isInternalError,
  isTransient,
  type ObjectReference,
  type ResourceClient,
} from '@strata/client'
import { severalAtOnce } from '@strata/world'
import { listPages } from '../../migration/resources/list-pages.ts'
import { compareReturned } from '../loss/index.ts'
import type { LossFinding } from './loss-groups.ts'

export interface ReturnOptions {
  /** In one version, in which objects may be stored; the storage version is another one. */
  readonly objects: ResourceClient
  readonly pageSize: number
  readonly atOnce: number
  /** Sends a request, again and again while that may help. */
  readonly ask: <T>(send: (signal: AbortSignal) => Promise<T>) => Promise<T>
  readonly onObject: (object: ApiObject, findings: readonly LossFinding[]) => void
  /** The server refused the dry run of an object. */
  readonly onUnseen: (object: ApiObject, because: string) => void
}

/** An object that others write all the time is left out after so many tries. */
const mostTries = 5

/**
 * Compares every object with what comes back from the storage version. The answer to a dry run without a change is the object as
 * it would be stored, converted back: so it lacks what the webhook, or the schema of the storage version, does not keep.
 */
export async function compareAllReturned(options: ReturnOptions): Promise<void> {
  const { objects, pageSize, atOnce, ask, onObject, onUnseen } = options
  const pages = listPages((page) => ask((signal) => objects.listPage(page, signal)), pageSize)
  for await (const items of pages) {
    await severalAtOnce(atOnce, items, async (item) => {
      const seen = await sendAndReturn(options, item)
      if (seen === undefined) return
      if ('because' in seen) return onUnseen(item, seen.because)
      const name = namespacedName(item.metadata)
      const { lost, changed } = compareReturned(seen.object, seen.returned)
      onObject(seen.object, [
        ...lost.map(({ path }): LossFinding => ({ kind: 'lost', path, object: name })),
        ...changed.map(({ path }): LossFinding => ({ kind: 'changed', path, object: name })),
      ])
    })
  }
}

type Returned =
  | { readonly object: ApiObject; readonly returned: ApiObject }
  | { readonly because: string }
  /** It is gone. */
  | undefined

async function sendAndReturn(
  { objects, ask }: Pick<ReturnOptions, 'objects' | 'ask'>,
  listed: ApiObject,
): Promise<Returned> {
  const { namespace, name = '' } = listed.metadata
  const reference: ObjectReference = { name, ...(namespace === undefined ? {} : { namespace }) }
  let object = listed
  try {
    for (let tries = 1; tries <= mostTries; tries++) {
      if (tries > 1) object = await ask((signal) => objects.get(reference, signal))
      const { resourceVersion = '' } = object.metadata
      const patch = { metadata: { resourceVersion } }
      try {
        const returned = await ask((signal) => objects.patch(reference, patch, signal, { dryRun: true }))
        return { object, returned }
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
    return { because: 'others write it all the time' }
  } catch (error) {
    if (isAbsence(error, objects.address, name)) return undefined
    // A webhook that fails for one object will fail for it again.
    if (!(error instanceof ApiError) || (isTransient(error) && !isInternalError(error))) throw error
    return { because: error.message }
  }
}
