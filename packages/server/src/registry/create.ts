import { ApiError, type ApiObject, alreadyExists, invalidObject } from '@strata/api'
import { objectKey } from '../codec/index.ts'
import { adoptNamespace, fillMetadata, validateMetadata } from './metadata.ts'
import { namespaceGuard } from './namespace-guard.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Look, type Plan, type Written, writeObject } from './write-object.ts'

/** Makes a new object of what a client sent. `object` is taken over. */
export async function create(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  const key = prepareForCreate(registry, resource, namespace, object)
  const name = object.metadata.name ?? ''
  return writeObject(
    registry,
    resource,
    key,
    (current, look) => {
      if (current) throw alreadyExists(definition, name)
      return planCreate(registry, resource, namespace, object, look)
    },
    signal,
  )
}

/** Fills in, checks, and says where the object will be. */
export function prepareForCreate(
  { world }: Registry,
  { definition }: ServedResource,
  namespace: string,
  object: ApiObject,
): string {
  if (object.metadata.resourceVersion) {
    // Upstream answers 500 without a reason; clients rely on the text.
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  adoptNamespace(object, definition, namespace)
  fillMetadata(object, definition, world)
  definition.strategy.prepareForCreate?.(object)
  const errors = [...validateMetadata(object, definition), ...(definition.strategy.validate?.(object) ?? [])]
  if (errors.length > 0) throw invalidObject(definition, object.metadata.name ?? '', errors)
  return objectKey(definition, namespace, object.metadata.name ?? '')
}

export async function planCreate(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  object: ApiObject,
  look: Look,
): Promise<Plan> {
  const name = object.metadata.name ?? ''
  const guards = await namespaceGuard(registry, resource, namespace, name, look)
  return { do: 'put', hub: object, guards }
}
