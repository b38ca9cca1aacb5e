import type { GroupResource, NamespaceCondition } from '@strata/api'

/** The objects of one resource that are left in the namespace after the deletions. */
export interface Remains {
  readonly resource: GroupResource
  readonly count: number
  /** How many of them have each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

/** One attempt to empty a namespace. */
export interface Sweep {
  readonly remains: readonly Remains[]
  /** Resources that could not be deleted or counted, and why. */
  readonly failures: readonly string[]
  /** Group versions whose discovery failed. */
  readonly undiscovered: readonly string[]
}

export type NamespaceDecision =
  /** The namespace is empty, and nothing can be created in it any more. */
  | { readonly do: 'finish' }
  | {
      readonly do: 'wait'
      readonly conditions: readonly NamespaceCondition[]
      readonly changed: boolean
    }

/**
 * Whether a namespace may be removed: only if every resource was discovered, deleted and found empty. A group whose discovery
 * failed may have objects. They would stay in the store, and appear again in the next namespace of that name.
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

type Wording = readonly [status: 'True' | 'False', reason: string, message: string]

/** Types, reasons and messages are upstream's, because people and scripts read them. */
function conditionsOf({ remains, failures, undiscovered }: Sweep): NamespaceCondition[] {
  const wordings: readonly (readonly [type: string, wording: Wording])[] = [
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
  return wordings.map(([type, [status, reason, message]]) => ({ type, status, reason, message }))
}

function contentRemaining(remains: readonly Remains[]): Wording {
  if (remains.length === 0) return ['False', 'ContentRemoved', 'All content successfully removed']
  const parts = remains.map(
    ({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`,
  )
  return ['True', 'SomeResourcesRemain', `Some resources are remaining: ${parts.sort().join(', ')}`]
}

function finalizersRemaining(remains: readonly Remains[]): Wording {
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
