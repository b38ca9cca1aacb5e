import { conflict, forbidden, isKind, namespaces, notFound } from '@strata/api'
import { timestamp } from '@strata/world'
import { objectKey } from '../codec/index.ts'
import { decideDeletion, type Propagation } from './decide-deletion.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Current, type Written, writeObject } from './write-object.ts'

export interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagation?: Propagation
  readonly dryRun: boolean
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
    (current) => {
      if (!current || !isStillMeant(current)) throw notFound(definition, name)
      checkPreconditions(resource, name, options, current)
      const { clock } = registry.world
      const deletion = decideDeletion(definition, current.hub, options.propagation, timestamp(clock))
      gone = deletion.do === 'remove'
      return deletion.do === 'remove' ? { do: 'delete' } : { do: 'put', hub: deletion.object }
    },
    signal,
    // It marks the object and changes nothing that anybody could be given a right by.
    { dryRun: options.dryRun, requester: 'system' },
  )
  return { ...written, gone }
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
