import { type Registry, removeCollection } from '../../registry/index.ts'
import { negotiateForm } from '../answer/forms.ts'
import { respondList } from '../answer/respond-list.ts'
import type { ResourceHandler } from '../request-context.ts'
import { readDeleteOptions } from './delete-options.ts'
import { readListOptions } from './list-options.ts'
import { listRequest, selectionOf } from './list-request.ts'

/** Deletes the objects that the same query would list, and answers with that list. */
export function deleteCollectionHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const form = negotiateForm(context, resource, 'list', registry.world.clock)
    const options = readListOptions(context.info.query, 'list')
    const asked = listRequest(options, selectionOf(resource, target, options))
    const deletion = await readDeleteOptions(context)
    return respondList(
      resource,
      form,
      await removeCollection(registry, resource, asked, deletion, context.signal),
      registry.world.clock,
    )
  }
}
