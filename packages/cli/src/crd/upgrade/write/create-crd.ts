import type { CustomResourceDefinition } from '@strata/api'
import { isConflict, type ResourceClient } from '@strata/client'
import { deadline } from '@strata/world'
import type { CrdWrite } from './crd-write.ts'
import type { CrdChannel } from './send-crd.ts'

type Definition = CustomResourceDefinition

interface Entry {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
}

const mostTries = 4
const lookMs = 60_000

/**
 * Creates a CRD as a server-side apply would, but never changes one: an apply would merge the new CRD into one that others have
 * created a moment before. `applied` is what the apply answered as a dry run: the ownership of fields is taken from it.
 */
export async function createCrd(
  { context }: Pick<CrdChannel, 'context'>,
  definitions: ResourceClient<Definition>,
  { writer, body }: CrdWrite,
  applied: Definition,
): Promise<Definition> {
  const limit = deadline(context.world.clock, lookMs, context.signal)
  const { manager: fieldManager } = writer
  try {
    const created = await definitions.create(body as unknown as Definition, limit.signal, { fieldManager })
    return await ownAsApplied(definitions, fieldManager, created, applied, limit.signal)
  } finally {
    limit.dispose()
  }
}

/** If it fails, the CRD is there all the same, owned as `kubectl create` leaves it. */
async function ownAsApplied(
  definitions: ResourceClient<Definition>,
  fieldManager: string,
  created: Definition,
  applied: Definition,
  signal: AbortSignal,
): Promise<Definition> {
  const { uid, name = '' } = created.metadata
  let now = created
  try {
    for (let tries = 1; tries <= mostTries && now.metadata.uid === uid; tries++) {
      const { resourceVersion } = now.metadata
      const managedFields = ownersAfter(now, applied, fieldManager)
      try {
        const patch = { metadata: { uid, resourceVersion, managedFields } }
        return await definitions.patch({ name }, patch, signal, { fieldManager })
      } catch (error) {
        // The server writes the status of a new CRD at the same time.
        if (!isConflict(error)) return now
        now = await definitions.get({ name }, signal)
      }
    }
  } catch {
    return now
  }
  return now
}

/** What the creation owns goes to the apply. */
function ownersAfter(now: Definition, applied: Definition, manager: string): readonly unknown[] {
  const entries = ({ metadata }: Definition): readonly Entry[] => (metadata.managedFields ?? []) as Entry[]
  const isOurs = (operation: string) => (each: Entry) =>
    each.manager === manager && each.operation === operation && (each.subresource ?? '') === ''
  const isCreation = isOurs('Update')
  return [...entries(applied).filter(isOurs('Apply')), ...entries(now).filter((each) => !isCreation(each))]
}
