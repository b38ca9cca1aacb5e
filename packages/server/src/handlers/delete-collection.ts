import { type Registry, removeCollection } from '../registry/index.ts'
import { readDeleteOptions } from './delete-options.ts'
import { negotiateForm } from './forms.ts'
import { readListOptions } from './list-options.ts'
import { listRequest, selectionOf } from './list-request.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondList } from './respond-list.ts'

/** Deletes everything that the same query would list, and answers with that list. */
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
