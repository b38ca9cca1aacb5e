import { forbidden } from '@strata/api'
import { type HttpResponse, invariant } from '@strata/world'
import { type Authorizer, resourceAccess } from '../../authorization/index.ts'
import { type Registry, remove, removeUnreadable, type ServedResource } from '../../registry/index.ts'
import { negotiateForm, serveForm } from '../answer/forms.ts'
import { respondBytes, respondJson } from '../answer/respond.ts'
import type { RequestContext, ResourceHandler, ResourceTarget } from '../request-context.ts'
import { type RequestedDeletion, readDeleteOptions } from './delete-options.ts'

/** `unsafe` is set if objects that cannot be decoded may be deleted: it says who may. */
export function deleteHandler(registry: Registry, unsafe: Authorizer | undefined): ResourceHandler {
  return async (context, resource, target) => {
    const form = negotiateForm(context, resource, 'object', registry.world.clock)
    const options = await readDeleteOptions(context, { mayIgnoreReadErrors: unsafe !== undefined })
    if (unsafe && options.ignoresReadError)
      return deleteUnreadable(registry, unsafe, context, resource, target, options)
    const { value, revision, gone } = await remove(registry, resource, target, options, context.signal)
    const { definition, codec, apiVersion } = resource
    if (codec.needsWebhook) await codec.ready([value], apiVersion)
    // As upstream: only a request in the deprecated form learns by 202 that the object is not gone yet.
    const status = !gone && options.orphanDependents === false ? 202 : 200
    if (!gone || definition.strategy.returnsDeletedObject) {
      return respondBytes(status, serveForm(resource, form, value, revision))
    }
    const { uid } = codec.decodeIn(value, apiVersion).metadata
    return respondDeleted(resource, target, uid)
  }
}

function respondDeleted(
  { definition }: ServedResource,
  { name }: ResourceTarget,
  uid?: string,
): HttpResponse {
  return respondJson(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(definition.group === '' ? {} : { group: definition.group }),
      kind: definition.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  })
}

const unsafeVerb = 'unsafe-delete-ignore-read-errors'

/** Needs a right of its own, besides that to delete. */
async function deleteUnreadable(
  registry: Registry,
  authorizer: Authorizer,
  { audit, signal, user }: RequestContext,
  resource: ServedResource,
  target: ResourceTarget,
  { preconditions }: RequestedDeletion,
): Promise<HttpResponse> {
  audit?.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '')
  invariant(user, 'a deletion needs an authenticated user')
  const access = resourceAccess(unsafeVerb, target)
  const { allowed, reason } = await authorizer.authorize(user, access)
  if (!allowed) {
    throw forbidden(
      resource.definition,
      target.name,
      `not permitted to do "${unsafeVerb}", reason: ${reason}`,
    )
  }
  await removeUnreadable(registry, resource, target, preconditions?.resourceVersion, signal)
  return respondDeleted(resource, target)
}
