import {
  ApiError,
  type CustomResourceDefinition,
  type ExplainedVerdict,
  groupResourceText,
} from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import { isUndecodable, lostVersionOf, wayBack } from '../migration/evidence/lost-version.ts'
import { observeMissing } from '../migration/records/migration-rights.ts'
import { resourceOfCrd } from './decide-from-hints.ts'

/** No object has this label: the server decodes every object, and answers with none. */
const labelSelector = 'strata.dev/no-object-has-this-label'

/**
 * A storedVersions that was cut too early names less than what is stored. Then the servers cannot decode some objects, and every
 * list of the resource fails: such a resource is not safe.
 */
export async function sayUndecodable<Each extends ExplainedVerdict>(
  client: Client,
  {
    discovered,
    definitions,
  }: {
    readonly discovered: readonly DiscoveredResource[]
    readonly definitions: readonly CustomResourceDefinition[]
  },
  verdicts: readonly Each[],
  signal: AbortSignal,
): Promise<readonly Each[]> {
  const custom = new Set(definitions.map(resourceOfCrd).map(groupResourceText))
  const said: Each[] = []
  for (const each of verdicts) {
    const name = groupResourceText(each)
    const address = discovered.find((served) => groupResourceText(served) === name)
    const isAsked = each.verdict === 'Safe' && custom.has(name) && address?.verbs.includes('list')
    const message = isAsked && address ? await whyUndecodable(client, address, signal) : undefined
    said.push(message === undefined ? each : unsafe(each, message))
  }
  return said
}

/** Undefined also without the right to list, or if the list fails for another reason: then storedVersions is believed. */
async function whyUndecodable(
  client: Client,
  address: DiscoveredResource,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The command needs no right to read objects: who has none is not denied anything.
  const { group, resource } = address
  const missing = await observeMissing(client, [{ verb: 'list', group, resource, isOwn: true }], signal)
  if (missing.length > 0) return undefined
  try {
    await client.metadata(address).list({ labelSelector }, signal)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) || signal.aborted) throw error
    return isUndecodable(error.reason, error.message) ? error.message : undefined
  }
}

function unsafe<Each extends ExplainedVerdict>(each: Each, message: string): Each {
  const lost = lostVersionOf(message)
  return {
    ...each,
    ...{ verdict: 'Unsafe', reason: 'NotDecodable', missing: lost === undefined ? [] : [lost] },
    message: `a list of it fails, because some of what is stored cannot be decoded: ${message}`,
    advice: lost === undefined ? `see strata repair ${groupResourceText(each)}` : wayBack(lost, each),
  }
}
