import { ApiError, type ApiObject, type GroupResource } from '@strata/api'
import { isAbsence, isConflict, type ResourceClient, retryAfterMs } from '@strata/client'
import { deadline, sleep } from '@strata/world'
import type { CliContext } from '../context.ts'
import { outcomeOfPatch, type PatchOutcome } from '../migration/run/patch-outcome.ts'
import { explain } from '../output/errors.ts'
import { decideKeptFields, sentFields } from './decide-kept-fields.ts'

export type ObjectOutcome =
  | { readonly kind: 'cleaned' }
  /** Others cleaned or deleted it meanwhile. */
  | { readonly kind: 'nothing left' }
  /** `unknown`: a write was sent, and it is not known whether it was done. `isOutage`: the next object will fare the same. */
  | {
      readonly kind: 'failed' | 'unknown'
      readonly because: string
      readonly isOutage: boolean
    }

export interface CleanObjectOptions {
  readonly objects: Pick<ResourceClient, 'get' | 'patch'>
  readonly resource: GroupResource
  readonly isDead: (version: string) => boolean
  readonly dryRun: boolean
  /** Waits for a turn in the request budget. */
  readonly turn: () => Promise<void>
}

const mostTries = 6
const betweenTriesMs = 500
const requestMs = 60_000

/**
 * Removes the entries of dead versions from one object. The patch has the uid and the resourceVersion that were read, so it never
 * takes away what a manager owns since; after a conflict the object is read again.
 */
export async function cleanObject(
  { objects, resource, isDead, dryRun, turn }: CleanObjectOptions,
  listed: ApiObject,
  { world: { clock }, signal }: Pick<CliContext, 'world' | 'signal'>,
): Promise<ObjectOutcome> {
  const { namespace, name = '' } = listed.metadata
  const reference = namespace === undefined ? { name } : { namespace, name }
  let object: ApiObject | undefined = listed
  let unheard = false
  for (let tries = 1; ; tries++) {
    let outcome: PatchOutcome
    let failure: unknown
    const limit = deadline(clock, requestMs, signal)
    try {
      await turn()
      object ??= await objects.get(reference, limit.signal)
      const { kept, dropped } = decideKeptFields(object.metadata.managedFields, resource.group, isDead)
      if (dropped.length === 0) return { kind: unheard ? 'cleaned' : 'nothing left' }
      const { uid, resourceVersion } = object.metadata
      const patch = { metadata: { uid, resourceVersion, managedFields: sentFields(kept) } }
      const answer = await objects.patch(reference, patch, limit.signal, { dryRun })
      const left = decideKeptFields(answer.metadata.managedFields, resource.group, isDead).dropped
      if (left.length === 0) return { kind: 'cleaned' }
      // A proxy or an admission webhook may have changed the patch.
      const because = 'the server accepted the change, and its answer still has the entries'
      return { kind: 'failed', because, isOutage: false }
    } catch (error) {
      if (signal.aborted) throw error
      if (isAbsence(error, resource, name)) return { kind: 'nothing left' }
      outcome = outcomeOfPatch(error)
      failure = error
      if (outcome === 'bug') throw error
    } finally {
      limit.dispose()
    }
    unheard ||= outcome === 'unknown'
    if (outcome === 'refused' || tries >= mostTries) return failed(failure, unheard)
    object = undefined
    if (!isConflict(failure)) await sleep(clock, Math.max(betweenTriesMs, retryAfterMs(failure)), signal)
  }
}

function failed(error: unknown, unheard: boolean): ObjectOutcome {
  if (isConflict(error)) {
    const because = `other clients changed it ${mostTries} times meanwhile`
    return { kind: unheard ? 'unknown' : 'failed', because, isOutage: false }
  }
  const explained = error instanceof ApiError ? error : explain('the server did not answer', error, 1)
  const because = explained instanceof Error ? explained.message : String(explained)
  return { kind: unheard ? 'unknown' : 'failed', because, isOutage: outcomeOfPatch(error) !== 'refused' }
}
