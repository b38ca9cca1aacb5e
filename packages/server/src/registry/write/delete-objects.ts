import { ApiError } from '@strata/api'
import { severalAtOnce } from '@strata/world'
import { resourcePrefix } from '../../codec/index.ts'
import { type Listed, type ListRequest, list } from '../read/list-objects.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { type DeleteOptions, remove } from './delete-object.ts'

/** Concurrent deletions: enough to fill a group commit, too few to crowd out other clients. */
const parallel = 16

/** Deletes each object of a list in a write of its own, and returns the list as it was. */
export async function removeCollection(
  registry: Registry,
  resource: ServedResource,
  request: ListRequest,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<Listed> {
  const listed = await list(registry, resource, request, signal)
  const prefix = resourcePrefix(resource.definition)
  const { selection } = request
  let hasFailed = false
  await severalAtOnce(parallel, listed.entries, async ({ key }) => {
    // The client gets the error and repeats the request for the remaining objects.
    if (hasFailed) return
    const [first = '', second] = key.slice(prefix.length).split('/')
    const target = second === undefined ? { namespace: '', name: first } : { namespace: first, name: second }
    try {
      // A listed object may have changed meanwhile. One that no longer matches must stay.
      await remove(registry, resource, target, options, signal, ({ entry }) =>
        selection.matches(entry.key, entry.value),
      )
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return
      hasFailed = true
      throw error
    }
  })
  return listed
}
