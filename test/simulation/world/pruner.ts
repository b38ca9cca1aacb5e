import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  groupResourceText,
} from '@strata/api'
import type { Client } from '@strata/client'
import { decidePrune, type PruneEvidence, prunePatch } from '@strata/controllers'
import { deadline, integer, sleep } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'

/** What is shown for proof instead of what there is. */
export type BentEvidence = (evidence: PruneEvidence, definition: CustomResourceDefinition) => PruneEvidence

export interface PrunerParts {
  readonly process: SimProcess
  readonly client: Client
  readonly sabotage?: { readonly evidence?: BentEvidence } | undefined
}

/** Cuts the storedVersions of a definition down after a migration, as controllers and commands do. */
export async function prune(
  { process, client, sabotage }: PrunerParts,
  evidence: PruneEvidence,
  resource: GroupResource,
): Promise<void> {
  if (!evidence.definition) return
  const name = groupResourceText(resource)
  const definitions = client.resource(customResourceDefinitions, 'v1')
  // Not at once: a command that somebody has to type comes later.
  await sleep(process.clock, integer(process.random, 6_000))
  const limit = deadline(process.clock, 10_000)
  try {
    const definition = await definitions.get({ name }, limit.signal)
    const shown = sabotage?.evidence?.(evidence, definition) ?? evidence
    const decision = decidePrune({ definition, evidence: shown, accept: 'proven' })
    if (decision.do !== 'prune') return
    await definitions.patch({ name }, prunePatch(decision), limit.signal, {
      subresource: 'status',
      fieldManager: 'pruner',
    })
  } catch (error) {
    process.log.debug('could not prune', { name, error: String(error) })
  } finally {
    limit.dispose()
  }
}
