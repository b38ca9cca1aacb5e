import { ApiError, groupResourceText, type Namespace, namespaces, notFound } from '@strata/api'
import { objectKey } from '../../codec/index.ts'
import { type Entry, type Guard, readOne } from '../../store/index.ts'
import { cachedEntry, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { PlanContext } from './write-object.ts'

type NamespaceState = 'active' | 'terminating' | 'absent'

/** The state of a namespace of another server. A promise only if that server has to be asked. */
export type NamespaceStates = (
  namespace: string,
  signal: AbortSignal,
) => NamespaceState | Promise<NamespaceState>

/**
 * The namespace guards a create in the same transaction. Upstream checks first and writes later:
 *
 * 1. A checks the namespace for a create.
 * 2. B empties and removes the namespace.
 * 3. A writes the object, which no client can reach any more.
 */
export async function namespaceGuard(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  name: string,
  { readStore, signal }: PlanContext,
): Promise<Guard[]> {
  if (resource.definition.scope === 'Cluster') return []
  // Kinds of agreement are in namespaces of this server's own store.
  if (registry.namespaceState && !resource.definition.bootstrap) {
    // Another server has it, so the commit cannot be guarded by it.
    const state = await registry.namespaceState(namespace, signal)
    if (state === 'absent') throw notFound(namespaces, namespace)
    if (state === 'terminating') throw terminating(resource, namespace, name)
    return []
  }
  const served = registry.api.own('', 'v1', 'namespaces')
  if (!served) return []
  const key = objectKey(served.definition, '', namespace)
  const cached = readStore ? undefined : cachedEntry(registry, served, key)
  const entry = cached ?? (await readOne(registry.store, key, signal))
  if (!entry) throw notFound(namespaces, namespace)
  if (isTerminating(served, entry)) throw terminating(resource, namespace, name)
  return [{ key, revision: entry.revision }]
}

/** Entries are immutable, so each is decoded once, not on every create. */
const verdicts = new WeakMap<Entry, boolean>()

function isTerminating({ codec }: ServedResource, entry: Entry): boolean {
  let verdict = verdicts.get(entry)
  if (verdict === undefined) {
    const { status, metadata } = codec.decode(entry.value).hub as Namespace
    verdict = status?.phase === 'Terminating' || metadata.deletionTimestamp !== undefined
    verdicts.set(entry, verdict)
  }
  return verdict
}

function terminating({ definition }: ServedResource, namespace: string, name: string): ApiError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  return new ApiError(403, 'Forbidden', `${groupResourceText(definition)} "${name}" is forbidden: ${why}`, {
    name,
    ...(definition.group === '' ? {} : { group: definition.group }),
    kind: definition.resource,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}
