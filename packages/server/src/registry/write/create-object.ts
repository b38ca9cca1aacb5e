import { ApiError, type ApiObject, alreadyExists, cloneJson, forbidden, invalidObject } from '@strata/api'
import { timestamp } from '@strata/world'
import { objectKey } from '../../codec/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { mutated } from './admit.ts'
import { trackFields } from './field-management.ts'
import { adoptNamespace, fillMetadata, forgetSystemFields } from './metadata.ts'
import { namespaceGuard } from './namespace-guard.ts'
import { validateMetadata } from './validate-metadata.ts'
import { warn } from './warn.ts'
import { type Plan, type PlanContext, type Written, writeObject } from './write-object.ts'
import type { PlanOptions, WriteOptions } from './write-options.ts'

/** Attempts to find a free generated name; with 27^5 names this is enough. */
const nameAttempts = 8

/** Creates an object from a client's body, in the client's version. Takes over `object`. */
export async function create(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<Written> {
  const admitted = registry.admission.mutates
    ? await admitNew(registry, resource, namespace, object, options, { readStore: false, signal })
    : object
  const generated = !admitted.metadata.name && Boolean(admitted.metadata.generateName)
  for (let attempt = 1; ; attempt++) {
    const candidate = generated ? cloneJson(admitted) : admitted
    try {
      return await createOnce(registry, resource, namespace, candidate, options, signal)
    } catch (error) {
      const taken = generated && error instanceof ApiError && error.reason === 'AlreadyExists'
      if (!taken) throw error
      if (attempt >= nameAttempts) throw noUniqueName(resource, candidate)
    }
  }
}

/** A new object as mutating webhooks change it. They are called only if its namespace exists and is not being deleted. */
export async function admitNew(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  { requester, dryRun }: WriteOptions,
  context: PlanContext,
): Promise<ApiObject> {
  if (requester === 'system') return object
  const { metadata } = object
  adoptNamespace(object, resource.definition, namespace)
  forgetSystemFields(object)
  const { name = '' } = metadata
  await namespaceGuard(registry, resource, namespace, name, context)
  return mutated(registry, resource, object, {
    ...{ namespace, name, requester, dryRun, signal: context.signal },
    oldObject: undefined,
  })
}

async function createOnce(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  const hub = prepareForCreate(registry, resource, namespace, object, options)
  const name = hub.metadata.name ?? ''
  return writeObject(
    registry,
    resource,
    objectKey(definition, namespace, name),
    (current, context) => {
      if (current) throw exists(resource, name, current.hub)
      return planCreate(registry, resource, namespace, hub, context)
    },
    signal,
    options,
  )
}

function exists({ definition }: ServedResource, name: string, stored: ApiObject): ApiError {
  const error = alreadyExists(definition, name)
  if (stored.metadata.deletionTimestamp === undefined) return error
  const { reason = '', details, message } = error.status
  return new ApiError(error.code, reason, `object is being deleted: ${message}`, details)
}

function noUniqueName({ definition }: ServedResource, { metadata }: ApiObject): ApiError {
  const error = alreadyExists(definition, metadata.name ?? '')
  return new ApiError(
    409,
    'AlreadyExists',
    `${error.message}, the server was not able to generate a unique name for the object`,
    {
      ...error.status.details,
      retryAfterSeconds: 1,
    },
  )
}

/** Sets defaults and field owners, validates, and converts to the hub. */
export function prepareForCreate(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  options: PlanOptions,
): ApiObject {
  const { definition, codec, apiVersion } = resource
  if (object.metadata.resourceVersion) {
    // Upstream answers 500 without a reason; clients rely on the text.
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  adoptNamespace(object, definition, namespace)
  fillMetadata(object, definition, registry.world)
  if (!options.owned) {
    trackFields(registry, resource, { stored: undefined, next: object, storedHub: undefined, options })
  }
  const hub = codec.toHub(object, apiVersion)
  definition.strategy.prepareForCreate?.(hub, timestamp(registry.world.clock))
  const { strategy } = definition
  const errors = [
    ...validateMetadata(hub, definition),
    ...codec.validateWhole(hub, undefined, apiVersion),
    ...(strategy.validate?.(hub) ?? []),
    ...(strategy.validateCreate?.(hub) ?? []),
  ]
  if (errors.length > 0) throw invalidObject(definition, hub.metadata.name ?? '', errors)
  warn(options.requester, strategy.warnings?.(hub, undefined))
  return hub
}

export async function planCreate(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  hub: ApiObject,
  context: PlanContext,
): Promise<Plan> {
  const name = hub.metadata.name ?? ''
  if (resource.isTerminating) {
    throw forbidden(
      resource.definition,
      name,
      'create not allowed while custom resource definition is terminating',
    )
  }
  const guards = await namespaceGuard(registry, resource, namespace, name, context)
  return { do: 'put', hub, guards }
}
