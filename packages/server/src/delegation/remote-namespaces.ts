import { ApiError, internalError, type Namespace } from '@strata/api'
import { abortable, type Clock } from '@strata/world'
import type { Aggregator } from './aggregator.ts'
import { type AnswerLimits, SharedAnswers } from './shared-answers.ts'

/** What a create in a namespace needs to know about it. */
export type NamespaceState = 'active' | 'terminating' | 'absent'

/** Known at once if the namespace was active a moment ago. */
export type NamespaceStates = (
  namespace: string,
  signal: AbortSignal,
) => NamespaceState | Promise<NamespaceState>

const limits: AnswerLimits = { keptMs: 5_000, mostKept: 10_000, mostAsked: 400 }

/**
 * The state of namespaces that are objects of the aggregator. Only `active` is remembered: a namespace that was just created can
 * be used at once. If the aggregator cannot be asked, the create fails.
 */
export function createRemoteNamespaces(
  aggregator: Aggregator,
  { clock }: { readonly clock: Clock },
): NamespaceStates {
  const answers = new SharedAnswers<NamespaceState>(clock, limits)
  const ask = async (name: string): Promise<NamespaceState> => {
    try {
      return stateOf(await aggregator.get<Namespace>(`/api/v1/namespaces/${encodeURIComponent(name)}`))
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'NotFound') return 'absent'
      // Without the right to read namespaces nothing is known about them, as when the aggregator is away.
      throw internalError(error instanceof Error ? error.message : String(error))
    }
  }
  return (name, signal) => {
    const found = answers.get(
      name,
      () => ask(name),
      (state) => state === 'active',
    )
    return found instanceof Promise ? abortable(found, signal) : found
  }
}

function stateOf({ metadata, status }: Namespace): NamespaceState {
  const isEnding = metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating'
  return isEnding ? 'terminating' : 'active'
}
