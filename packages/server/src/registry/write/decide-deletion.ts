import {
  type ApiObject,
  isKind,
  type Namespace,
  namespaces,
  type ResourceDefinition,
  type Strategy,
} from '@strata/api'

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export type Deletion =
  /** Nothing waits for it: it goes at once. */
  | { readonly do: 'remove' }
  /** It stays, marked, until those who have to clean up have done so. */
  | { readonly do: 'mark'; readonly object: ApiObject }

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

/**
 * What a deletion does to an object. Asking again changes nothing more, except which of the dependents' finalizers it
 * has. `object` is taken over.
 */
export function decideDeletion(
  definition: Pick<ResourceDefinition, 'group' | 'kind'> & {
    readonly strategy?: Pick<Strategy<ApiObject>, 'hasNoDependents' | 'markForDeletion'>
  },
  object: ApiObject,
  propagation: Propagation | undefined,
  now: string,
): Deletion {
  const { metadata } = object
  const mark = definition.strategy?.markForDeletion
  if (mark && metadata.deletionTimestamp === undefined) {
    mark(object, now)
    return { do: 'mark', object }
  }
  const before = metadata.finalizers ?? []
  const finalizers = definition.strategy?.hasNoDependents ? [...before] : finalizersAfter(before, propagation)
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  const isNamespace = isKind(definition, namespaces)
  const spec = isNamespace ? ((object as Namespace).spec?.finalizers ?? []) : []
  if (finalizers.length === 0 && spec.length === 0) return { do: 'remove' }
  const first = metadata.deletionTimestamp === undefined
  if (first) metadata.deletionTimestamp = now
  if (isNamespace) {
    // Not by the generic way upstream: a namespace has no grace period, but a phase.
    if (first) (object as Namespace).status = { ...(object as Namespace).status, phase: 'Terminating' }
    return { do: 'mark', object }
  }
  if (metadata.deletionGracePeriodSeconds === undefined && metadata.generation) metadata.generation++
  metadata.deletionGracePeriodSeconds = 0
  return { do: 'mark', object }
}

/** What is asked for at deletion counts; else what the object says of itself; else dependents go in the background. */
function finalizersAfter(before: readonly string[], propagation: Propagation | undefined): string[] {
  const own = before.find((each) => each === orphan || each === foreground)
  const wanted =
    propagation === 'Orphan'
      ? orphan
      : propagation === 'Foreground'
        ? foreground
        : propagation
          ? undefined
          : own
  const others = before.filter((each) => each !== orphan && each !== foreground)
  if (wanted === undefined) return others
  // The order is left as it is where nothing changes: a repeated deletion must be no change at all.
  return before.includes(wanted) && others.length === before.length - 1 ? [...before] : [...others, wanted]
}
