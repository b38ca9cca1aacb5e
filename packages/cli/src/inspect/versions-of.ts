import { byVersionPriority } from '@strata/api'
import { decideBlockers } from './decide-blockers.ts'
import type { ResourceFacts } from './resource-facts.ts'

/** Every version that anything names: defined, served, stored, or possible. The one that is written comes last. */
export function versionsOf({ definition, served, stored, storage }: ResourceFacts): readonly string[] {
  const counted = stored.kind === 'counted' ? stored.versions.map(({ version }) => version) : []
  const all = [
    ...(definition?.storedVersions ?? []),
    ...(definition?.versions ?? []).map(({ name }) => name),
    ...served.map(({ version }) => version),
    ...counted,
    ...(stored.kind === 'possible' ? stored.versions : []),
  ]
  const written = storage ? [storage.version] : []
  return [...new Set(all.filter((each) => !written.includes(each)).toSorted()), ...written]
}

/** Versions that something keeps from being removed, but for those that are meant to stay. */
export function blockedVersions(facts: ResourceFacts): readonly string[] {
  const versions = versionsOf(facts)
  // With one version there is nothing to remove.
  if (versions.length < 2) return []
  return versions.filter((each) => !isMeantToStay(each, facts) && decideBlockers(each, facts).length > 0)
}

/**
 * The version that is written, and newer ones that are served: those come next, so no step leads away from them. A built-in kind
 * may be served in one version and stored in another.
 */
function isMeantToStay(version: string, { served, storage }: ResourceFacts): boolean {
  if (version === storage?.version) return true
  const found = served.find((each) => each.version === version)
  if (!found) return false
  if (served.length === 1) return true
  const written = storage?.version ?? served.map((each) => each.version).toSorted(byVersionPriority)[0] ?? ''
  return !found.deprecated && byVersionPriority(version, written) <= 0
}
