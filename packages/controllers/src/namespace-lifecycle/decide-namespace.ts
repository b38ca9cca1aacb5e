import type { GroupResource, NamespaceCondition } from '@strata/api'

/** What is left of one resource in the namespace after everything was asked to go. */
export interface Remains {
  readonly resource: GroupResource
  readonly count: number
  /** How many of them wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

/** One attempt to empty a namespace. */
export interface Sweep {
  readonly remains: readonly Remains[]
  /** What could not be deleted or counted, and why. */
  readonly failures: readonly string[]
  /** What could not even be learnt of. */
  readonly undiscovered: readonly string[]
}

export type NamespaceDecision =
  /** It is empty, and nothing can be created in it any more. */
  | { readonly do: 'finish' }
  | {
      readonly do: 'wait'
      readonly conditions: readonly NamespaceCondition[]
      readonly changed: boolean
    }

/**
 * Whether a namespace may go. It may only when every resource was learnt of, asked, and found empty: a group whose
 * discovery failed may hold objects, and they would be left behind under a namespace that is gone, to turn up again
 * in the next one of its name.
 */
export function decideNamespace(
  sweep: Sweep,
  before: readonly NamespaceCondition[],
  now: string,
): NamespaceDecision {
  const { remains, failures, undiscovered } = sweep
  if (remains.length === 0 && failures.length === 0 && undiscovered.length === 0) return { do: 'finish' }
  const next = conditionsOf(sweep).map((condition): NamespaceCondition => {
    const old = before.find(({ type }) => type === condition.type)
    const same = old?.status === condition.status && old.message === condition.message
    return same ? old : { ...condition, lastTransitionTime: now }
  })
  const others = before.filter(({ type }) => !next.some((each) => each.type === type))
  const changed = next.some((condition) => !before.includes(condition))
  return { do: 'wait', conditions: [...others, ...next], changed }
}

type Said = readonly [status: 'True' | 'False', reason: string, message: string]

/** Types, reasons and messages are upstream's: people and scripts read them. */
function conditionsOf({ remains, failures, undiscovered }: Sweep): NamespaceCondition[] {
  const said: readonly (readonly [type: string, said: Said])[] = [
    [
      'NamespaceDeletionDiscoveryFailure',
      undiscovered.length === 0
        ? ['False', 'ResourcesDiscovered', 'All resources successfully discovered']
        : [
            'True',
            'DiscoveryFailed',
            `Discovery failed for some groups, ${undiscovered.length} failing: ${undiscovered.join(', ')}`,
          ],
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      ['False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ],
    [
      'NamespaceDeletionContentFailure',
      failures.length === 0
        ? ['False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization']
        : [
            'True',
            'ContentDeletionFailed',
            `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
          ],
    ],
    ['NamespaceContentRemaining', contentRemaining(remains)],
    ['NamespaceFinalizersRemaining', finalizersRemaining(remains)],
  ]
  return said.map(([type, [status, reason, message]]) => ({ type, status, reason, message }))
}

function contentRemaining(remains: readonly Remains[]): Said {
  if (remains.length === 0) return ['False', 'ContentRemoved', 'All content successfully removed']
  const parts = remains.map(
    ({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`,
  )
  return ['True', 'SomeResourcesRemain', `Some resources are remaining: ${parts.sort().join(', ')}`]
}

function finalizersRemaining(remains: readonly Remains[]): Said {
  const counts = new Map<string, number>()
  for (const { finalizers } of remains) {
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  if (counts.size === 0) {
    return ['False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished']
  }
  const parts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`)
  const message = `Some content in the namespace has finalizers remaining: ${parts.sort().join(', ')}`
  return ['True', 'SomeFinalizersRemain', message]
}
