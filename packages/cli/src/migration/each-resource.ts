import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'

/** Asks about one after the other, and says which one. */
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
  } finally {
    progress?.('')
  }
}
