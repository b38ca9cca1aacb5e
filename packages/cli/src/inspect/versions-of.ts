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
