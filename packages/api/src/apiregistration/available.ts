import type { ApiServiceCondition, ApiServiceStatus } from './api-service.ts'

export type FoundAvailable = Pick<ApiServiceCondition, 'status' | 'reason' | 'message'>

/** In upstream's words, by which people search. */
export const localCondition: FoundAvailable = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
}

/** The status that says so; the very same one if it does already. */
export function withAvailable(
  status: ApiServiceStatus,
  found: FoundAvailable,
  now: string,
): ApiServiceStatus {
  const type = 'Available'
  const conditions = status.conditions ?? []
  const before = conditions.find((each) => each.type === type)
  const isSame =
    before?.status === found.status && before.reason === found.reason && before.message === found.message
  if (isSame) return status
  const isSince = before?.status === found.status && before.lastTransitionTime
  const { status: isSo, ...why } = found
  const condition = { type, status: isSo, lastTransitionTime: isSince || now, ...why }
  return {
    ...status,
    conditions: before
      ? conditions.map((each) => (each === before ? condition : each))
      : [...conditions, condition],
  }
}
