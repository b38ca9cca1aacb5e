import { notFound, tooLargeResourceVersion } from '@strata/api'
import { namespacePrefix, objectKey } from '../codec/index.ts'
import type { Entry, Revision } from '../store/index.ts'
import { cachedEntry, collectionOf, type Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'

/** One object, as new as the store was when the request began (rule 6). */
export async function get(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  notOlderThan: Revision | undefined,
  signal: AbortSignal,
): Promise<Entry> {
  await passBarrier(registry, signal, notOlderThan)
  const entry = cachedEntry(registry, resource, objectKey(resource.definition, target.namespace, target.name))
  if (!entry) throw notFound(resource.definition, target.name)
  return entry
}

export interface Listed {
  readonly revision: number
  readonly entries: readonly Entry[]
}

/** All objects of a namespace, or of all of them, in the order of their keys, at one revision. */
export async function list(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  notOlderThan: Revision | undefined,
  signal: AbortSignal,
): Promise<Listed> {
  await passBarrier(registry, signal, notOlderThan)
  const range = collectionOf(registry, resource).range(namespacePrefix(resource.definition, namespace))
  const entries: Entry[] = []
  for (let index = 0; index < range.count; index++) entries.push(range.at(index))
  return { revision: registry.cache.barrier.applied, entries }
}

/** After it the cache is as new as the store was; a revision that the store has not reached is refused. */
export async function passBarrier(
  { cache, rules }: Registry,
  signal: AbortSignal,
  notOlderThan: Revision = 0,
): Promise<void> {
  if (rules.readBarrier) await cache.barrier.pass(signal)
  const { applied } = cache.barrier
  if (notOlderThan > applied) throw tooLargeResourceVersion(notOlderThan, applied)
}
