import { type CustomResourceDefinition, versionsOf } from '@strata/api'

/** The CRD before upstream's migrator could cut its storedVersions. It is stored with the migration. */
export interface CrdBefore {
  readonly uid: string
  readonly storedVersions: readonly string[]
}

export type RestoreDecision =
  | { readonly do: 'nothing'; readonly because: string }
  | {
      readonly do: 'restore'
      readonly storedVersions: readonly string[]
      readonly added: readonly string[]
      readonly guard: { readonly uid: string; readonly resourceVersion: string }
      /** Versions that objects may be stored in, and that the CRD does not have any more. */
      readonly gone: readonly string[]
    }
  | { readonly do: 'impossible'; readonly because: string; readonly gone: readonly string[] }

/**
 * Upstream cuts storedVersions when a migration has ended, also a failed one (docs/reference/upstream-behaviour.md, Q1). While
 * objects may still be stored in the old versions they go back into the list. That only delays their removal.
 */
export function decideRestored(
  before: CrdBefore | undefined,
  live: CustomResourceDefinition | undefined,
): RestoreDecision {
  if (before === undefined) return { do: 'nothing', because: 'it has no CRD' }
  if (live === undefined || live.metadata.uid !== before.uid)
    return { do: 'nothing', because: 'the CRD was deleted meanwhile' }
  const { uid = '', resourceVersion = '' } = live.metadata
  const listed = live.status.storedVersions ?? []
  const missing = before.storedVersions.filter((each) => !listed.includes(each))
  if (missing.length === 0)
    return { do: 'nothing', because: `status.storedVersions lists ${listed.join(', ')}` }
  const defined = new Set(versionsOf(live).map(({ name }) => name))
  const added = missing.filter((each) => defined.has(each))
  const gone = missing.filter((each) => !defined.has(each))
  if (added.length === 0) return { do: 'impossible', because: goneText(gone), gone }
  // The order of before, then what came since.
  const kept = before.storedVersions.filter((each) => defined.has(each))
  const storedVersions = [...new Set([...kept, ...listed])]
  return { do: 'restore', storedVersions, added, guard: { uid, resourceVersion }, gone }
}

const goneText = (gone: readonly string[]): string =>
  `${gone.join(', ')} was removed from spec.versions meanwhile: no server reads objects that are still stored so. Add it to spec.versions again (served: false is enough)`
