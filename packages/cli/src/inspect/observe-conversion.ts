import { ApiError } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import type { ConversionSight } from './resource-facts.ts'

/**
 * Reads one object in each served version that is not stored: then the server has to convert it, and calls the webhook. Transport
 * failures are thrown: they say nothing about the webhook.
 */
export async function observeConversion(
  client: Client,
  definition: DefinitionFacts,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<readonly ConversionSight[]> {
  if (definition.conversion !== 'Webhook') return []
  const others = definition.versions.filter(({ served, storage }) => served && !storage)
  const seen: ConversionSight[] = []
  for (const { name: version } of others) {
    try {
      const objects = client.metadata({ ...resource, versionName: version })
      const { items } = await objects.listPage({ limit: 1 }, signal)
      seen.push({ version, result: items.length === 0 ? 'no object to convert' : 'answers' })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      seen.push({ version, result: 'fails', because: error.message })
    }
  }
  return seen
}
