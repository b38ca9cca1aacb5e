import {
  type ApiError,
  isKind,
  methodNotAllowed,
  methodNotSupported,
  namespaces,
  notFound,
  notFoundPath,
  pathSegment,
  type ResourceDefinition,
  type Schema,
  scales,
  serviceAccounts,
  tokenRequests,
  type Verb,
} from '@strata/api'
import type { HttpResponse } from '@strata/world'
import type { ServiceAccountTokens } from '../authentication/index.ts'
import type { Authorizer } from '../authorization/index.ts'
import type { AgreementRecords } from '../coordination/index.ts'
import type { DiscoverableSubresource, ServedVerbs } from '../discovery/index.ts'
import { type Registry, type ServedResource, scaleResource } from '../registry/index.ts'
import { negotiateForm, transformAnswer } from './answer/forms.ts'
import { answerDefined } from './answer-defined.ts'
import type { Handler, RequestContext, ResourceHandler, ResourceTarget } from './request-context.ts'
import { type Reviewers, reviewHandler } from './reviews/review.ts'
import { tokenRequestHandler } from './token-request.ts'
import { createHandler } from './verbs/create.ts'
import { deleteHandler } from './verbs/delete.ts'
import { deleteCollectionHandler } from './verbs/delete-collection.ts'
import { finalizeHandler } from './verbs/finalize.ts'
import { getHandler } from './verbs/get.ts'
import { listHandler } from './verbs/list.ts'
import { patchHandler } from './verbs/patch.ts'
import { getScaleHandler, updateScaleHandler } from './verbs/scale.ts'
import { updateHandler } from './verbs/update.ts'
import { updateStatusHandler } from './verbs/update-status.ts'
import { watchHandler } from './verbs/watch.ts'

/** The verbs that have a handler. */
const handledVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

/** The verbs of a resource, sorted, as discovery shows them. */
function verbsOf({ definition }: ServedResource): readonly Verb[] {
  return handledVerbs.filter((verb) => definition.strategy.verbs?.includes(verb) ?? true)
}

/** The subresources of a resource, sorted, as discovery shows them. */
function subresourcesOf(resource: ServedResource): readonly DiscoverableSubresource[] {
  const { definition } = resource
  const { subresources } = definition
  const served = verbsOf(resource)
  const of = (...verbs: readonly Verb[]): readonly Verb[] => verbs.filter((verb) => served.includes(verb))
  return [
    ...(isKind(definition, namespaces) ? [['finalize', of('update')] as const] : []),
    ...(isScalable(resource) ? [['scale', of('get', 'patch', 'update'), scale] as const] : []),
    ...(subresources?.status ? [['status', of('get', 'patch', 'update')] as const] : []),
    ...(hasTokens(definition) ? [['token', of('create'), tokenRequest] as const] : []),
  ]
}

const tokenRequest = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const

const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const

const isScalable = ({ definition, versionName }: ServedResource): boolean =>
  definition.subresources?.scale?.[versionName] !== undefined

export const servedVerbs: ServedVerbs = { of: verbsOf, ofSubresources: subresourcesOf }

/** The schema of a kind that only subresources use. */
export function schemaOfPart(kind: string): Schema | undefined {
  if (kind === scale.kind) return scales.versions[scale.version]?.schema
  return kind === tokenRequest.kind ? tokenRequests.versions[tokenRequest.version]?.schema : undefined
}

const hasTokens = (definition: ResourceDefinition): boolean => isKind(definition, serviceAccounts)

/** Routes a request to the handler of its verb. `others` handles paths that are not resources. */
export function routeResources(
  registry: Registry,
  records: AgreementRecords,
  {
    reviewers,
    tokens,
    unsafe,
  }: {
    readonly reviewers: Reviewers
    readonly tokens: ServiceAccountTokens
    /** Says who may delete objects that cannot be decoded; undefined if that is switched off. */
    readonly unsafe: Authorizer | undefined
  },
  others: Handler,
): Handler {
  const review = reviewHandler(registry, reviewers)
  const handlers = new Map<string, ResourceHandler>([
    ['create', createHandler(registry)],
    ['get', getHandler(registry)],
    ['list', listHandler(registry)],
    ['watch', watchHandler(registry)],
    ['update', updateHandler(registry, records)],
    ['patch', patchHandler(registry)],
    ['delete', deleteHandler(registry, unsafe)],
    ['deletecollection', deleteCollectionHandler(registry, { mayIgnoreReadErrors: unsafe !== undefined })],
  ])
  const subresources = new Map<string, ResourceHandler>([
    ['finalize update', finalizeHandler(registry)],
    ['scale get', getScaleHandler(registry)],
    ['scale update', updateScaleHandler(registry)],
    ['scale patch', patchHandler(registry, 'scale')],
    ['status get', getHandler(registry)],
    ['status update', updateStatusHandler(registry)],
    ['status patch', patchHandler(registry, 'status')],
    ['token create', tokenRequestHandler(registry, tokens)],
  ])
  const answer = async (
    context: RequestContext,
    resource: ServedResource,
    target: ResourceTarget,
  ): Promise<HttpResponse> => {
    const { verb } = context.info
    if (!isAddressable(resource, target, verb)) throw unknownTo(resource, target)
    const handler =
      target.subresource === '' ? handlers.get(verb) : subresources.get(`${target.subresource} ${verb}`)
    if (!handler || !verbsOf(resource).includes(verb as Verb)) throw refusedBy(resource, verb)
    if (isMisplaced(verb, target)) throw refusedBy(resource, verb)
    if (resource.definition.isReview) return review(context, resource, target)
    if (!writesWholeObject.has(verb)) return handler(context, resource, target)
    const answered = target.subresource === 'scale' ? scaleResource : resource
    const form = negotiateForm(context, answered, 'object', registry.world.clock)
    return transformAnswer(answered, form, await handler(context, resource, target))
  }
  return async (context) => {
    const { target } = context.info
    if (!target) return others(context)
    return answerDefined(registry, context, target, answer, others)
  }
}

/** As upstream, custom resources have their own errors for unknown subresources and verbs. */
function unknownTo({ definition }: ServedResource, { subresource, name }: ResourceTarget): ApiError {
  return definition.isCustom && subresource !== '' ? notFound(definition, name) : notFoundPath()
}

function refusedBy({ definition }: ServedResource, verb: string): ApiError {
  if (definition.isCustom) return methodNotSupported(definition, verb)
  return methodNotAllowed(definition.strategy.whyReadOnly)
}

/** These verbs answer with the whole object, which is converted to the requested form. The others convert themselves. */
const writesWholeObject = new Set(['create', 'update', 'patch'])

/**
 * Objects are created in their collection, and changed at their own path. Otherwise a POST to an object's path would create
 * another object, named by its body, and a PUT to a collection would look for an object without a name.
 */
function isMisplaced(verb: string, { name, subresource }: ResourceTarget): boolean {
  if (verb === 'create') return (name !== '') !== (subresource !== '')
  return (verb === 'update' || verb === 'patch') && name === ''
}

/**
 * Without a namespace, a namespaced resource can only be listed and watched. With one, a cluster-scoped resource does not
 * exist. A namespace is in itself only: authorization has checked the namespace in the path.
 */
function isAddressable(resource: ServedResource, target: ResourceTarget, verb: string): boolean {
  const { definition } = resource
  if (target.subresource === 'scale' && !isScalable(resource)) return false
  if (target.subresource === 'finalize' && !isKind(definition, namespaces)) return false
  if (target.subresource === 'status' && !definition.subresources?.status) return false
  if (target.subresource === 'token' && !hasTokens(definition)) return false
  if (!['', 'finalize', 'scale', 'status', 'token'].includes(target.subresource)) return false
  // A name with a slash (sent as %2F) would reach below another object's key.
  if (pathSegment(target.name).length > 0 || pathSegment(target.namespace).length > 0) return false
  if (isKind(definition, namespaces)) return target.namespace === target.name
  if (definition.scope === 'Cluster') return target.namespace === ''
  return target.namespace !== '' || verb === 'list' || verb === 'watch'
}
