import {
  conflict,
  forbidden,
  invalid,
  invalidObject,
  type ResourceDefinition,
  serviceUnavailable,
} from '@strata/api'
import {
  ConversionPending,
  isSealedForNow,
  MalformedJson,
  objectKey,
  UndecodableObject,
  whySealed,
} from '../../codec/index.ts'
import { type Entry, readOne } from '../../store/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { sendCommit } from './write-object.ts'

const attempts = 64
/** The field of DeleteOptions that asks for it. */
export const ignoreReadErrorField = 'ignoreStoreReadErrorWithClusterBreakingPotential'

/**
 * Deletes the stored bytes of an object that cannot be decoded (KEP-3926). Its finalizers, dependents and admission webhooks are
 * skipped, because nothing is known about it; one that can be decoded is refused. With a `revision`, only bytes that were written
 * in it are deleted, so a client loses no other bytes than those that it has saved.
 */
export async function removeUnreadable(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  revision: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { definition, codec } = resource
  const { namespace, name } = target
  if (definition.bootstrap) {
    const why = 'the servers keep objects of this kind in order to agree; remove its key from the store'
    throw forbidden(definition, name, why)
  }
  const key = objectKey(definition, namespace, name)
  const ticket = registry.gate.enter(definition, codec)
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const entry = await readOne(registry.store, key, signal)
      // As upstream, also for an object that is not there.
      if (entry === undefined || !isUnreadable(resource, entry)) throw readable(definition, name)
      if (revision !== undefined && revision !== String(entry.revision)) {
        const why = `the ResourceVersion in the precondition (${revision}) does not match the ResourceVersion in record (${entry.revision}). The object might have been modified`
        throw conflict(definition, name, why)
      }
      const permit = ticket.permit()
      const guards = [{ key, revision: entry.revision }, ...permit.guards]
      const commit = { writes: [{ kind: 'delete', key } as const], guards }
      const outcome = await sendCommit(registry, commit, { ticket, permit, signal })
      if (outcome.outcome === 'committed') return
      await ticket.broken(outcome.broken, signal)
    }
    throw serviceUnavailable('the object is being changed too often; try again later', 1)
  } finally {
    ticket.leave()
  }
}

/**
 * A conversion webhook that fails does not count: the bytes can be decoded, and the webhook can be repaired. Neither does a KMS
 * that does not answer this server: another server may read the object.
 */
function isUnreadable({ codec }: ServedResource, { value }: Entry): boolean {
  if (isSealedForNow(value))
    throw serviceUnavailable(
      `the object cannot be decrypted for now, and was not deleted: ${whySealed(value)}`,
    )
  try {
    codec.decode(value)
    return false
  } catch (error) {
    if (error instanceof UndecodableObject || error instanceof MalformedJson) return true
    if (error instanceof ConversionPending) return false
    throw error
  }
}

/** Upstream has the resource where the kind belongs. */
function readable({ group, resource }: ResourceDefinition, name: string) {
  const why = 'is exclusively used to delete corrupt object(s), try again by removing this option'
  return invalidObject({ group, kind: resource }, name, [invalid(ignoreReadErrorField, true, why)])
}
