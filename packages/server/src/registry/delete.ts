import { conflict, forbidden, isKind, namespaces, notFound } from '@strata/api'
import { timestamp } from '@strata/world'
import { objectKey } from '../codec/index.ts'
import { deletionAdmitted } from './admit.ts'
import { decideDeletion, type Propagation } from './decide-deletion.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { storedObject } from './update.ts'
import { type Current, type Look, type Plan, type Written, writeObject } from './write-object.ts'
import type { ClientRequester } from './write-options.ts'

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagation?: Propagation
  readonly dryRun: boolean
  /** Who deletes it, and whether by its name or with everything else. The system itself asks nobody. */
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
  /** Looks once more at what would be deleted; what it refuses counts as not found. */
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
    (current, look) => {
      if (!current || !isStillMeant(current)) throw notFound(definition, name)
      checkPreconditions(resource, name, options, current)
      const go = (): Plan => {
        const { clock } = registry.world
        const deletion = decideDeletion(definition, current.hub, options.propagation, timestamp(clock))
        gone = deletion.do === 'remove'
        return deletion.do === 'remove' ? { do: 'delete' } : { do: 'put', hub: deletion.object }
      }
      const { mutates, validates } = registry.admission
      const asked =
        mutates || validates ? admitted(registry, resource, namespace, options, current, look) : undefined
      return asked === undefined ? go() : asked.then(go)
    },
    signal,
    // It marks the object and changes nothing that anybody could be given a right by.
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
  { signal }: Look,
): Promise<void> | undefined {
  if (!requester) return undefined
  return deletionAdmitted(registry, resource, {
    // Whoever deletes many names none of them, and upstream says so.
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
  // Upstream names the kind where it otherwise names the resource; namespaces have words of their own.
  const isNamespace = isKind(definition, namespaces)
  const about = isNamespace ? definition : { group: definition.group, resource: definition.kind }
  if (uid !== undefined && uid !== hub.metadata.uid) {
    const why = isNamespace
      ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${hub.metadata.uid}`
      : `the UID in the precondition (${uid}) does not match the UID in record (${hub.metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(about, name, why)
  }
  const current = String(entry.revision)
  if (resourceVersion !== undefined && resourceVersion !== current) {
    const why = isNamespace
      ? `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${current}`
      : `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current}). The object might have been modified`
    throw conflict(about, name, why)
  }
}
