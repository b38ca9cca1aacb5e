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
  /** Nothing holds it: it is removed at once. */
  | { readonly do: 'remove' }
  /** It stays, marked, until its finalizers are removed. */
  | { readonly do: 'mark'; readonly object: ApiObject }

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

/**
 * The effect of a deletion on an object. A repeated deletion changes at most the finalizer for dependents. If that was the last
 * finalizer, it removes the object. Changes `object`.
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
    // Unlike other kinds, a namespace has no grace period, but a phase.
    if (first) (object as Namespace).status = { ...(object as Namespace).status, phase: 'Terminating' }
    return { do: 'mark', object }
  }
  if (metadata.deletionGracePeriodSeconds === undefined && metadata.generation) metadata.generation++
  metadata.deletionGracePeriodSeconds = 0
  return { do: 'mark', object }
}

/** The propagation policy: that of the request, else that of the object's finalizers, else background. */
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
  // Keeps the order if nothing changes: a repeated deletion must not be a write.
  return before.includes(wanted) && others.length === before.length - 1 ? [...before] : [...others, wanted]
}
