import type { PlannedResource } from '../plan/planned-resource.ts'

/**
 * Why upstream's migrator must not start; undefined if no object would be refused. It stops at the first object that is refused,
 * and then cuts storedVersions all the same.
 */
export function whyPlanForbids({
  exit,
  because,
}: Pick<PlannedResource, 'exit' | 'because'>): string | undefined {
  switch (exit) {
    case 'rehearsed':
    case 'proven':
      return undefined
    case 'incomplete':
      return `${because}, so upstream's migrator would fail: nothing was created. Fix or delete these objects, or omit --in-tree, which migrates all others`
    case 'unknown':
      return `${because}, and upstream's migrator fails at the first one: nothing was created. Omit --in-tree, which sets refused objects aside`
    default:
      return because
  }
}
