import { namespaces, notFound } from '@strata/api'
import { objectKey } from '../../codec/index.ts'
import { readOne } from '../../store/index.ts'
import { cachedEntry, type Registry } from '../registry.ts'
import { attributesOf } from './attributes.ts'

/** The labels of a namespace, from the cache or, if it is not there yet, from the store. */
export async function namespaceLabels(
  registry: Pick<Registry, 'api' | 'cache' | 'store'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const served = registry.api.own('', 'v1', 'namespaces')
  if (!served) throw notFound(namespaces, namespace)
  const key = objectKey(served.definition, '', namespace)
  const entry = cachedEntry(registry, served, key) ?? (await readOne(registry.store, key, signal))
  if (!entry) throw notFound(namespaces, namespace)
  return attributesOf(served, entry.value).labels ?? {}
}
