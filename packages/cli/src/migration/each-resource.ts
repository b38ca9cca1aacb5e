import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import { notSeenError } from './cluster.ts'

/** Asks about one after the other. Who presses Ctrl-C wants no answer; who cannot be answered is told so at once. */
export async function askEach<T>(
  resources: readonly DiscoveredResource[],
  { signal, progress }: CliContext,
  ask: (resource: DiscoveredResource) => Promise<T>,
): Promise<readonly T[]> {
  const answers: T[] = []
  try {
    for (const [index, resource] of resources.entries()) {
      if (resources.length > 1) progress?.(`${index + 1} of ${resources.length}: ${resource.resource}`)
      signal.throwIfAborted()
      answers.push(await ask(resource))
    }
    return answers
  } catch (error) {
    throw notSeenError('the cluster did not answer', error)
  } finally {
    progress?.('')
  }
}
