import { apiServices, groupResourceText } from '@strata/api'
import type { Discovery } from '@strata/client'
import { groupOf } from '@strata/controllers'

/**
 * Whether other servers may stand behind this one. An aggregated server that is asked directly has no APIServices: the kinds that
 * it serves are its own, though it lists their records in their groups too.
 */
export function mayAggregate({ resources, failures }: Discovery): boolean {
  const name = groupResourceText(apiServices)
  return (
    resources.some((each) => groupResourceText(each) === name) ||
    failures.some(({ groupVersion }) => groupOf(groupVersion) === apiServices.group)
  )
}
