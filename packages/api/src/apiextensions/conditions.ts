import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
  DefinitionConditionType,
} from './custom-resource-definition.ts'

/** A condition as it is found out, before it is known whether and when it changed. */
export type FoundCondition = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>

export function conditionOf(
  { status }: CustomResourceDefinition,
  type: DefinitionConditionType,
): CustomResourceDefinitionCondition | undefined {
  return status.conditions?.find((each) => each.type === type)
}

export function isConditionTrue(
  definition: CustomResourceDefinition,
  type: DefinitionConditionType,
): boolean {
  return conditionOf(definition, type)?.status === 'True'
}

/** Whether instances are served. */
export function isEstablished(definition: CustomResourceDefinition): boolean {
  return isConditionTrue(definition, 'Established')
}

/** Whether two conditions say the same, whenever they began. */
export function isSameCondition(found: FoundCondition, before: FoundCondition | undefined): boolean {
  return (
    before !== undefined &&
    found.type === before.type &&
    found.status === before.status &&
    found.reason === before.reason &&
    found.message === before.message
  )
}

/** In the place of the one of its type, or last. The time is kept while the status stays the same. */
export function withCondition(
  status: CustomResourceDefinitionStatus,
  found: FoundCondition,
  now: string,
): CustomResourceDefinitionStatus {
  const conditions = status.conditions ?? []
  const at = conditions.findIndex(({ type }) => type === found.type)
  const before = conditions[at]
  if (!before) return { ...status, conditions: [...conditions, { ...found, lastTransitionTime: now }] }
  const since = before.status === found.status ? (before.lastTransitionTime ?? now) : now
  const next = { ...before, ...found, lastTransitionTime: since }
  return { ...status, conditions: conditions.with(at, next) }
}
