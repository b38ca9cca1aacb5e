import {
  type ApiError,
  conflict,
  customResourceDefinitions,
  forbidden,
  isKind,
  namespaces,
  notFound,
  type ResourceDefinition,
} from '@strata/api'
import { onceKnown, timestamp } from '@strata/world'
import { objectKey } from '../../codec/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { deletionAdmitted } from './admit.ts'
import { decideDeletion, type Propagation } from './decide-deletion.ts'
import { storedObject } from './update-object.ts'
import { type Current, type Plan, type PlanContext, type Written, writeObject } from './write-object.ts'
import type { ClientRequester } from './write-options.ts'

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined
  readonly propagation?: Propagation | undefined
  readonly dryRun: boolean
  /** The client, and whether it deletes by name or the collection. Deletions of the server itself skip admission. */
  readonly requester?: ClientRequester
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
  /** Checks the current object once more; false counts as not found. */
  isStillMeant: (current: Current) => boolean = () => true,
): Promise<Deleted> {
  const { definition } = resource
  const { namespace, name } = target
  if (isKind(definition, namespaces) && immortalNamespaces.has(name)) {
    throw forbidden(definition, name, 'this namespace may not be deleted')
  }
  let gone = false
  const written = await writeObject(
    registry,
    resource,
    objectKey(definition, namespace, name),
    (current, context) => {
      if (!current || !isStillMeant(current)) throw notFound(definition, name)
      checkPreconditions(resource, name, options, current)
      const { requester } = options
      const checked =
        requester && registry.checkWrite({ resource, requester, next: undefined, stored: current.hub })
      const go = (): Plan => {
        const { clock } = registry.world
        const deletion = decideDeletion(definition, current.hub, options.propagation, timestamp(clock))
        gone = deletion.do === 'remove'
        return deletion.do === 'remove' ? { do: 'delete' } : { do: 'put', hub: deletion.object }
      }
      const { mutates, validates } = registry.admission
      const admit = (): void | Promise<void> =>
        mutates || validates ? admitted(registry, resource, namespace, options, current, context) : undefined
      return onceKnown(onceKnown(checked, admit), go)
    },
    signal,
    // Checked above. This write only removes or marks the object, and grants no rights.
    { dryRun: options.dryRun, requester: 'system' },
  )
  return { ...written, gone }
}

function admitted(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  { requester, dryRun, propagation, preconditions }: DeleteOptions,
  current: Current,
  { signal }: PlanContext,
): Promise<void> | undefined {
  if (!requester) return undefined
  return deletionAdmitted(registry, resource, {
    // For a deletecollection upstream sends no name.
    ...{ namespace, name: requester.name, requester, dryRun, signal },
    object: () => undefined,
    oldObject: () => storedObject(resource, current),
    options: {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      ...(preconditions && Object.keys(preconditions).length > 0 ? { preconditions } : {}),
      ...(propagation ? { propagationPolicy: propagation } : {}),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    },
  })
}

function checkPreconditions(
  { definition }: ServedResource,
  name: string,
  { preconditions }: DeleteOptions,
  { entry, hub }: Current,
): void {
  const { uid, resourceVersion } = preconditions ?? {}
  const current = String(entry.revision)
  if (uid !== undefined && uid !== hub.metadata.uid) {
    throw failed(definition, name, 'UID', uid, hub.metadata.uid ?? '')
  }
  if (resourceVersion !== undefined && resourceVersion !== current) {
    throw failed(definition, name, 'ResourceVersion', resourceVersion, current)
  }
}

/** Upstream names the kind here, not the resource; two kinds have texts of their own. */
function failed(
  definition: ResourceDefinition,
  name: string,
  what: 'UID' | 'ResourceVersion',
  asked: string,
  found: string,
): ApiError {
  const words = `recondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`
  if (isKind(definition, namespaces)) return conflict(definition, name, `P${words}`)
  if (isKind(definition, customResourceDefinitions)) return conflict(definition, name, `p${words}`)
  const { group, kind } = definition
  const became = what === 'UID' ? 'deleted and then recreated' : 'modified'
  const why = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${became}`
  return conflict({ group, resource: kind }, name, why)
}
