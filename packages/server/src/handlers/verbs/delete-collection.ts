import { invalid, invalidObject } from '@strata/api'
import { ignoreReadErrorField, type Registry, removeCollection } from '../../registry/index.ts'
import { negotiateForm } from '../answer/forms.ts'
import { respondList } from '../answer/respond-list.ts'
import type { ResourceHandler } from '../request-context.ts'
import { readDeleteOptions } from './delete-options.ts'
import { readListOptions } from './list-options.ts'
import { listRequest, selectionOf } from './list-request.ts'

/** Deletes the objects that the same query would list, and answers with that list. */
export function deleteCollectionHandler(
  registry: Registry,
  { mayIgnoreReadErrors }: { readonly mayIgnoreReadErrors: boolean },
): ResourceHandler {
  return async (context, resource, target) => {
    const form = negotiateForm(context, resource, 'list', registry.world.clock)
    const options = readListOptions(context.info.query, 'list')
    const asked = listRequest(options, selectionOf(resource, target, options))
    const deletion = await readDeleteOptions(context, { mayIgnoreReadErrors })
    if (deletion.ignoresReadError) {
      const why = 'is not allowed with DELETECOLLECTION, try again after removing the option'
      const kind = { group: 'meta.k8s.io', kind: 'DeleteOptions' }
      throw invalidObject(kind, '', [invalid(ignoreReadErrorField, true, why)])
    }
    return respondList(
      resource,
      form,
      await removeCollection(registry, resource, asked, deletion, context.signal),
      registry.world.clock,
    )
  }
}
