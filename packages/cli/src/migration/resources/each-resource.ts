import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../../context.ts'
import {
  isTransientForReading,
  patienceMs,
  readMs,
  waitingText,
  withRetries,
} from '../run/read-with-retries.ts'
import { notSeenError } from './cluster.ts'

/** A resource that could not be read, and why. */
export interface NotSeen {
  readonly resource: string
  readonly verdict: 'not seen'
  readonly because: string
}

/** Reads from the cluster, with retries if no server answers. */
export type Look = <T>(
  look: (signal: AbortSignal) => Promise<T>,
  isWorthIt?: (error: unknown) => boolean,
) => Promise<T>

/**
 * Asks about one resource after the other, and shows which. A resource that cannot be read does not keep the others from
 * being reported; nor does Ctrl-C hide those that were read.
 */
export async function askEach<T>(
  resources: readonly DiscoveredResource[],
  context: Pick<CliContext, 'world' | 'signal' | 'progress' | 'warn'>,
  ask: (resource: DiscoveredResource, look: Look) => Promise<T>,
): Promise<readonly (T | NotSeen)[]> {
  const { signal, progress, warn } = context
  const answers: (T | NotSeen)[] = []
  // After one wait without an answer, each other request is tried once: a minute for each of forty resources is too long.
  let isWorthWaiting = true
  try {
    for (const [index, resource] of resources.entries()) {
      const name = groupResourceText(resource)
      if (resources.length > 1) progress?.(`${index + 1} of ${resources.length}: ${name}`)
      try {
        signal.throwIfAborted()
        answers.push(await ask(resource, lookAt(name)))
      } catch (error) {
        if (signal.aborted && answers.length > 0) {
          warn?.(`stopped: ${index} of ${resources.length} resources were read`)
          break
        }
        signal.throwIfAborted()
        const { message: because } = notSeenError('it could not be read', error)
        answers.push({ resource: name, verdict: 'not seen', because })
      }
    }
    return answers
  } finally {
    progress?.('')
  }

  function lookAt(name: string): Look {
    let warned = ''
    const onWait = (error: unknown): void => {
      const text = `${name}: waiting: ${waitingText(error)}`
      if (text === warned) return
      warned = text
      progress?.('')
      warn?.(text)
    }
    return async (look, isWorthIt = isTransientForReading) => {
      const limits = { limitMs: readMs, patienceMs: isWorthWaiting ? patienceMs : 0 }
      try {
        return await withRetries(context, look, { ...limits, isWorthIt, onWait })
      } catch (error) {
        if (isWorthIt(error)) isWorthWaiting = false
        throw error
      }
    }
  }
}
