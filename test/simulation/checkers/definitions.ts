import type { Change } from '@strata/server/store'
import type { History, ObservedCommit } from '../history.ts'
import { type CustomPlural, customPluralOf, definedPluralOf } from '../keys.ts'
import { isMark } from '../world/definitions.ts'
import type { Json } from '../world/request.ts'

/** A definition, as far as it says how instances are stored and served. */
export interface StoredDefinition {
  readonly uid: string
  readonly generation: number
  readonly isEstablished: boolean
  readonly isTerminating: boolean
  readonly hasNames: boolean
  readonly isDecided: boolean
  readonly kind: string
  /** As in objects. */
  readonly storageVersion: string
  /** As in paths. */
  readonly served: readonly string[]
  readonly storedVersions: readonly string[]
  readonly mark: string
}

/** What stands in the store after the commits that were applied. */
export class DefinedState {
  readonly definitions = new Map<CustomPlural, StoredDefinition>()
  /** Keys of instances. */
  readonly instances = new Map<CustomPlural, Set<string>>()

  apply({ changes }: ObservedCommit): void {
    for (const change of changes) applyChange(this, change)
  }
}

/** Every commit in the store's order, with the definitions as they stood before and after it; as `replay`. */
export function* replayDefinitions(
  history: History,
): Iterable<{ commit: ObservedCommit; state: DefinedState; apply: () => void }> {
  const state = new DefinedState()
  for (const commit of history.commits) {
    let applied = false
    const apply = (): void => {
      if (!applied) state.apply(commit)
      applied = true
    }
    yield { commit, state, apply }
    apply()
  }
}

function applyChange({ definitions, instances }: DefinedState, change: Change): void {
  const defined = definedPluralOf(change.key)
  if (defined) {
    if (change.kind === 'put') definitions.set(defined, decoded(change))
    else definitions.delete(defined)
  }
  const plural = customPluralOf(change.key)
  if (!plural) return
  const keys = instances.get(plural) ?? new Set()
  instances.set(plural, keys)
  if (change.kind === 'put') keys.add(change.key)
  else keys.delete(change.key)
}

/** Several checkers look at the same commits; what they say is read once. */
const kept = new WeakMap<Change, StoredDefinition>()

function decoded(change: Change & { readonly kind: 'put' }): StoredDefinition {
  const known = kept.get(change)
  if (known) return known
  const definition = readDefinition(change.value)
  kept.set(change, definition)
  return definition
}

export function readDefinition(value: Uint8Array): StoredDefinition {
  const { metadata, spec, status } = JSON.parse(Buffer.from(value).toString())
  const isTrue = (type: string): boolean =>
    (status.conditions ?? []).some((each: Json) => each.type === type && each.status === 'True')
  const storage = spec.versions.find((each: Json) => each.storage)
  // In v1beta1, as servers store definitions, a schema that all versions have in common stands beside them.
  const { openAPIV3Schema } = storage.schema ?? spec.validation
  const fields = Object.keys(openAPIV3Schema.properties.spec.properties)
  return {
    uid: metadata.uid,
    generation: metadata.generation,
    isEstablished: isTrue('Established'),
    isTerminating: metadata.deletionTimestamp !== undefined,
    hasNames: isTrue('NamesAccepted'),
    isDecided: (status.conditions ?? []).length > 0,
    kind: spec.names.kind,
    storageVersion: `${spec.group}/${storage.name}`,
    served: spec.versions.filter((each: Json) => each.served).map(({ name }: Json) => name),
    storedVersions: status.storedVersions ?? [],
    mark: fields.find(isMark) ?? '',
  }
}
