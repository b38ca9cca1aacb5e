import { type ApiService, apiServices, apiVersionOf, groupResourceText } from '@strata/api'
import { type Client, type DiscoveredResource, type Discovery, isNotFoundOrForbidden } from '@strata/client'
import { findOrigin, passesOn } from '@strata/controllers'
import { mayAggregate } from './may-aggregate.ts'

/** What the check says nothing about, because other servers store it. */
export interface NotCovered {
  /** Resources by name; a whole version, such as `shop.example.dev/v1`, while its servers do not answer. */
  readonly names: readonly string[]
  /** Whether a version is served by other servers. */
  readonly isElsewhere: (groupVersion: string) => boolean
}

/** An upgrade of this fleet does not change what aggregated servers can read, and their store is not read here. */
export function decideNotCovered(discovery: Discovery, services: readonly ApiService[]): NotCovered {
  const { resources, failures } = discovery
  const isAggregator = mayAggregate(discovery)
  const passed = new Set(
    services
      .filter((each) => passesOn(each, each.spec?.group ?? ''))
      .map(({ spec }) => apiVersionOf(spec?.group ?? '', spec?.version ?? '')),
  )
  const versionOf = ({ group, versionName }: DiscoveredResource): string => apiVersionOf(group, versionName)
  // Without the right to read APIServices, those of Strata servers are found by their records.
  const elsewhere = resources.filter(
    (each) => passed.has(versionOf(each)) || (isAggregator && findOrigin(each, resources).kind === 'origin'),
  )
  const stored = elsewhere.filter(({ verbs }) => verbs.includes('list') && verbs.includes('create'))
  const unknown = failures.filter(({ groupVersion }) => passed.has(groupVersion))
  const versions = new Set([...passed, ...elsewhere.map(versionOf)])
  const names = [...stored.map(groupResourceText), ...unknown.map(({ groupVersion }) => groupVersion)]
  return { names: [...new Set(names)].sort(), isElsewhere: (each) => versions.has(each) }
}

export async function observeNotCovered(
  client: Client,
  discovery: Discovery,
  signal: AbortSignal,
): Promise<NotCovered> {
  try {
    const { items } = await client.resource(apiServices, 'v1').list({}, signal)
    return decideNotCovered(discovery, items)
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return decideNotCovered(discovery, [])
    throw error
  }
}
