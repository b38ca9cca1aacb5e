import { type ApiObject, conflict, forbidden, type Namespace, notFound } from '@strata/api'
import { timestamp } from '@strata/world'
import { objectKey } from '../codec/index.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Current, type Plan, type Written, writeObject } from './write-object.ts'

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

export interface Deleted extends Written {
  /** False while finalizers keep the object. */
  readonly gone: boolean
}

const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public'])

/** Deletes an object, or marks it as being deleted while something still has to be cleaned up. */
export async function remove(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<Deleted> {
  const { definition } = resource
  const { namespace, name } = target
  if (definition.kind === 'Namespace' && immortalNamespaces.has(name)) {
    throw forbidden(definition, name, 'this namespace may not be deleted')
  }
  let gone = false
  const written = await writeObject(
    registry,
    resource,
    objectKey(definition, namespace, name),
    (current) => {
      if (!current) throw notFound(definition, name)
      checkPreconditions(resource, name, options, current)
      const plan = planDelete(current.hub, timestamp(registry.world.clock))
      gone = plan.do === 'delete'
      return plan
    },
    signal,
  )
  return { ...written, gone }
}

function planDelete(object: ApiObject, now: string): Plan {
  const waits = (object.metadata.finalizers?.length ?? 0) > 0 || hasNamespaceFinalizer(object)
  if (!waits) return { do: 'delete' }
  if (object.metadata.deletionTimestamp === undefined) {
    object.metadata.deletionTimestamp = now
    object.metadata.deletionGracePeriodSeconds = 0
    if (object.metadata.generation !== undefined) object.metadata.generation++
    if (hasNamespaceFinalizer(object)) (object as Namespace).status = { phase: 'Terminating' }
  }
  return { do: 'put', hub: object }
}

function hasNamespaceFinalizer(object: ApiObject): boolean {
  const { kind, spec } = object as Namespace
  return kind === 'Namespace' && (spec?.finalizers?.length ?? 0) > 0
}

function checkPreconditions(
  { definition }: ServedResource,
  name: string,
  { preconditions }: DeleteOptions,
  { entry, hub }: Current,
): void {
  const { uid, resourceVersion } = preconditions ?? {}
  if (uid !== undefined && uid !== hub.metadata.uid) {
    throw conflict(
      definition,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${hub.metadata.uid}`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== String(entry.revision)) {
    throw conflict(
      definition,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${entry.revision}`,
    )
  }
}
