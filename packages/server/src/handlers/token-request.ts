import {
  type ApiObject,
  apiVersionOf,
  badRequest,
  conflict,
  invalid,
  invalidObject,
  type ResourceDefinition,
  resourceAtRelease,
  type TokenRequest,
  tokenRequests,
} from '@strata/api'
import { timestamp } from '@strata/world'
import type { ServiceAccountTokens } from '../authentication/index.ts'
import { createCodec } from '../codec/index.ts'
import {
  get,
  mutated,
  type Registry,
  type ServedResource,
  trackFields,
  validated,
} from '../registry/index.ts'
import { respondJson } from './answer/respond.ts'
import { readObject } from './body/decode-object.ts'
import type { ResourceHandler, ResourceTarget } from './request-context.ts'
import { writeOptions } from './verbs/parse-write-options.ts'

/** In the audit log: the ID under which the token appears wherever it is used. */
const issuedCredential = 'authentication.kubernetes.io/issued-credential-id'

/** POST of `serviceaccounts/{name}/token`: a token with an expiry and an audience, optionally bound to a secret. */
export function tokenRequestHandler(registry: Registry, tokens: ServiceAccountTokens): ResourceHandler {
  const kind = tokenRequestKind()
  return async (context, resource, target) => {
    const options = writeOptions(context, 'CreateOptions')
    const sent = await readObject(context, registry.api, kind, options.fieldValidation)
    const write = {
      ...{ namespace: target.namespace, name: target.name, subresource: 'token', oldObject: undefined },
      ...{ requester: options.requester, dryRun: options.dryRun, signal: context.signal },
      view: { shown: kind, of: (object: ApiObject) => object },
    }
    const admitted = registry.admission.mutates ? await mutated(registry, resource, sent, write) : sent
    const request = admitted as TokenRequest
    trackFields(registry, kind, {
      stored: undefined,
      next: request,
      storedHub: undefined,
      options,
      subresource: 'token',
    })
    checkPlace(request, target)
    const account = await look(registry, resource, target, context.signal)
    if (request.metadata.uid && request.metadata.uid !== account.uid) {
      throw conflict(
        { group: kind.group, resource: kind.definition.kind },
        target.name,
        `the UID in the token request (${request.metadata.uid}) does not match the UID of the service account (${account.uid})`,
      )
    }
    complete(request, target, account.uid, timestamp(registry.world.clock))
    const { spec } = request
    const audiences = spec.audiences?.length ? spec.audiences : tokens.options.apiAudiences
    const errors = tokenRequests.strategy.validate?.(request) ?? []
    if (errors.length > 0) throw invalidObject(tokenRequests, '', errors)
    if (registry.admission.validates) {
      await validated(registry, resource, { ...write, object: () => request })
    }
    const secret = await boundSecret(registry, request, target, context.signal)
    const asked = spec.expirationSeconds ?? 0
    const lifeSeconds = Math.min(asked, tokens.options.maxLifeSeconds ?? asked)
    if (lifeSeconds < asked) {
      context.warnings.push(`requested expiration of ${asked} seconds shortened to ${lifeSeconds} seconds`)
    }
    const nowMs = registry.world.clock.wallMs()
    const { namespace } = target
    const { token, credentialId } = tokens.issue({ namespace, account, secret, audiences, lifeSeconds })
    if (context.audit) context.audit.annotations[issuedCredential] = credentialId
    const { boundObjectRef = null } = spec
    return respondJson(201, {
      kind: kind.definition.kind,
      apiVersion: kind.apiVersion,
      metadata: request.metadata,
      spec: { audiences, expirationSeconds: lifeSeconds, boundObjectRef },
      status: { token, expirationTimestamp: secondsText(nowMs + lifeSeconds * 1000) },
    })
  }
}

/** TokenRequest is decoded like any kind, but is not served as a resource. */
function tokenRequestKind(): ServedResource {
  const definition = tokenRequests as unknown as ResourceDefinition
  const release = resourceAtRelease(definition, undefined)
  if (!release) throw new TypeError('TokenRequest is the same in every release')
  const { group } = definition
  const codec = createCodec(definition, release)
  return { definition, codec, group, versionName: 'v1', apiVersion: apiVersionOf(group, 'v1') }
}

/** The metadata of the body must match the path. */
function checkPlace({ metadata }: TokenRequest, { name, namespace }: ResourceTarget): void {
  if (metadata.name && metadata.name !== name) {
    const why = 'must match the service account name if specified'
    throw invalidObject(tokenRequests, name, [invalid('metadata.name', metadata.name, why)])
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    const why = 'must match the service account namespace if specified'
    throw invalidObject(tokenRequests, name, [invalid('metadata.namespace', metadata.namespace, why)])
  }
}

function complete(request: TokenRequest, target: ResourceTarget, uid: string, now: string): void {
  const { managedFields, ...given } = request.metadata
  const { name, namespace } = target
  request.metadata = { ...given, name, namespace, uid, creationTimestamp: now, managedFields }
}

async function look(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly uid: string }> {
  const entry = await get(registry, resource, target, 'newest', signal)
  const { uid = '' } = (resource.codec.decode(entry.value).hub as ApiObject).metadata
  return { name: target.name, uid }
}

/** The object that the token is bound to. Without pods and nodes, it can only be a secret. */
async function boundSecret(
  registry: Registry,
  { spec: { boundObjectRef: reference } }: TokenRequest,
  { namespace }: ResourceTarget,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly uid: string } | undefined> {
  if (!reference) return undefined
  const { apiVersion = '', kind = '', name = '', uid } = reference
  const secrets = registry.api.own('', 'v1', 'secrets')
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (group !== '' || kind !== 'Secret' || !secrets) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
  const secret = await look(registry, secrets, { namespace, name }, signal)
  if (uid && uid !== secret.uid) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  return secret
}

const secondsText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
