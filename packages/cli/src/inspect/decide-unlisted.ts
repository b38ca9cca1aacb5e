import { groupResourceText } from '@strata/api'
import { formatCount } from '@strata/insight'
import { wayBack } from '../migration/evidence/lost-version.ts'
import type { DefinitionFacts } from '../stored/definition-facts.ts'
import type { ResourceFacts, StoredSight } from './resource-facts.ts'

export interface Unlisted {
  readonly text: string
  readonly next: string
}

/**
 * Versions that objects are stored in, and that status.storedVersions lacks. The list as it was when the objects were read counts
 * too: a version may rightly have left it since.
 */
export function decideUnlisted(
  stored: StoredSight,
  ...definitions: readonly (DefinitionFacts | undefined)[]
): readonly string[] {
  const known = definitions.filter((each) => each !== undefined)
  if (stored.kind === 'possible' || stored.doubt !== undefined || known.length === 0) return []
  const listed = new Set(known.flatMap(({ storedVersions }) => storedVersions))
  const versions = new Set(stored.versions.map(({ version }) => version))
  // One of another group is no version of the CRD.
  return [...versions].filter((each) => !each.includes('/') && !listed.has(each)).toSorted()
}

/** What follows from each of these versions. */
export function unlistedOf({
  unlisted = [],
  definition,
  stored,
  ...resource
}: ResourceFacts): readonly Unlisted[] {
  if (stored.kind === 'possible' || definition === undefined) return []
  return unlisted.map((version) => {
    const all = stored.versions.filter((each) => each.version === version)
    const count = all.reduce((sum, each) => sum + each.count, 0)
    const isDefined = definition.versions.some(({ name }) => name === version)
    const lists = definition.storedVersions.join(', ') || 'none'
    const name = groupResourceText(resource)
    return {
      text: `${count === 1 ? '1 object is' : `${formatCount(count)} objects are`} stored in ${version}, but status.storedVersions lists only ${lists}: ${
        isDefined
          ? `the server lets ${version} be removed from the CRD, and then cannot decode ${count === 1 ? 'it' : 'them'}`
          : `the CRD has no ${version} any more, so no server can decode ${count === 1 ? 'it' : 'them'}`
      }`,
      next: isDefined ? `strata migrate ${name}` : wayBack(`${resource.group}/${version}`, resource),
    }
  })
}
