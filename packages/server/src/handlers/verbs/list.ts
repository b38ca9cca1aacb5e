import { list, type Registry, reportUndecodable } from '../../registry/index.ts'
import { negotiateForm } from '../answer/forms.ts'
import { respondList } from '../answer/respond-list.ts'
import type { ResourceHandler } from '../request-context.ts'
import { readListOptions } from './list-options.ts'
import { listRequest, selectionOf } from './list-request.ts'

export function listHandler(registry: Registry): ResourceHandler {
  return async (context, resource, target) => {
    const { info, signal } = context
    const form = negotiateForm(context, resource, 'list', registry.world.clock)
    const options = readListOptions(info.query, 'list')
    const asked = listRequest(options, selectionOf(resource, target, options))
    return reportUndecodable(registry, resource, asked.selection, async () =>
      respondList(resource, form, await list(registry, resource, asked, signal), registry.world.clock),
    )
  }
}
