import { notFound } from '@strata/api'
import { objectKey } from '../../codec/index.ts'
import type { Entry } from '../../store/index.ts'
import { cachedEntry, type Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { type Freshness, reachFreshness } from './freshness.ts'

/** One object, as new as asked; by default as new as the store at the start of the request (rule 6). */
export async function get(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Entry> {
  await reachFreshness(registry, freshness, signal)
  const entry = cachedEntry(registry, resource, objectKey(resource.definition, target.namespace, target.name))
  if (!entry || resource.view?.shows(target.name) === false) throw notFound(resource.definition, target.name)
  return entry
}
