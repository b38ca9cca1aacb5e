import { type ExplainedVerdict, groupResourceText } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import { observeEmptiness } from './releases/observe-emptiness.ts'

/** A verdict, and whether a list shows that there are no objects. */
export type CountedVerdict = ExplainedVerdict & { readonly isEmpty?: true }

/**
 * Says of each unsafe resource if it has no objects. It stays unsafe: what is written next may be stored in the version that
 * the release cannot read, and a record keeps that version until a migration. But nothing is at stake yet, and that migration is
 * over at once.
 */
export async function sayEmptiness(
  client: Client,
  discovered: readonly DiscoveredResource[],
  verdicts: readonly ExplainedVerdict[],
  signal: AbortSignal,
): Promise<readonly CountedVerdict[]> {
  const unsafe = verdicts.filter(({ verdict }) => verdict === 'Unsafe')
  const named = unsafe.map(({ group, resource }) => ({
    ...{ group, resource, name: groupResourceText({ group, resource }) },
  }))
  // Without the right to list, nothing is said.
  const { empty } = await observeEmptiness(client, discovered, named, signal)
  return verdicts.map((each) =>
    empty.has(groupResourceText(each))
      ? { ...each, isEmpty: true, message: `${each.message}; it has no objects now` }
      : each,
  )
}
