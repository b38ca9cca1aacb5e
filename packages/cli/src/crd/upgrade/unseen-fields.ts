import { type CustomResourceDefinition, storageVersionNameOf, versionsOf } from '@strata/api'
import type { CrdPlan } from '../plan/crd-plan.ts'
import { compareSchemas, schemaOfVersion } from '../schema/index.ts'

/**
 * What the comparison of objects cannot see: an object that is stored in a version which no server serves is only readable
 * through another version, without the fields that only its own has. The rewrite removes them.
 */
export function unseenFields(
  live: CustomResourceDefinition,
  { stored, steps }: Pick<CrdPlan, 'stored' | 'steps'>,
): readonly string[] {
  if (live.spec.conversion?.strategy === 'Webhook' || !steps.some((each) => each.do === 'migrate')) return []
  const storage = storageVersionNameOf(live)
  const read = versionsOf(live).find(({ name }) => name === storage)
  if (read === undefined) return []
  return versionsOf(live)
    .filter(({ name, served }) => !served && name !== storage && stored.includes(name))
    .flatMap((hidden) => {
      const fields = compareSchemas(schemaOfVersion(hidden), schemaOfVersion(read))
        .filter(({ effect }) => effect === 'pruned')
        .map(({ path }) => path)
      if (fields.length === 0) return []
      return `objects may be stored in ${hidden.name}, which is not served: fields that only ${hidden.name} has cannot be compared, and the rewrite removes them (${fields.join(', ')}). To compare them, set "served: true" of ${hidden.name} in the live CRD, and run this again`
    })
}
