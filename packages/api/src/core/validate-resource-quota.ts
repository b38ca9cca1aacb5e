import { type FieldError, invalid } from '../machinery/field-error.ts'
import { validateScopeSelector, validateScopes } from './quota-scope.ts'
import { amountOf, type ResourceList } from './resource-list.ts'
import { isIntegerResource, quotaResourceProblems } from './resource-name.ts'
import type { ResourceQuota } from './resource-quota.ts'

export function validateResourceQuota({ spec = {}, status = {} }: ResourceQuota): FieldError[] {
  return [
    ...validateAmounts(spec.hard, 'spec.hard'),
    ...validateScopes(spec, 'spec.scopes'),
    ...validateScopeSelector(spec, 'spec.scopeSelector.matchExpressions'),
    ...validateAmounts(status.hard, 'status.hard'),
    ...validateAmounts(status.used, 'status.used'),
  ]
}

function validateAmounts(list: ResourceList = {}, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [name, text] of Object.entries(list)) {
    const here = `${path}[${name}]`
    errors.push(...quotaResourceProblems(name, here))
    const { isNegative, exponent } = amountOf(text)
    if (isNegative) errors.push(invalid(here, text, 'must be greater than or equal to 0'))
    if (exponent < 0 && isIntegerResource(name)) errors.push(invalid(here, text, 'must be an integer'))
  }
  return errors
}

/** The scopes of a quota are immutable: usage that was counted under other scopes would be wrong. */
export function validateQuotaUpdate({ spec }: ResourceQuota, stored: ResourceQuota): FieldError[] {
  const scopes = new Set(spec?.scopes)
  const before = new Set(stored.spec?.scopes)
  if (scopes.symmetricDifference(before).size === 0) return []
  return [invalid('spec.scopes', spec?.scopes ?? null, 'field is immutable')]
}
