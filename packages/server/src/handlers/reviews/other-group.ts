import { type FieldError, invalid } from '@strata/api'

/** The error of a review at a path that allows questions about one group only, if it asks about another. */
export function otherGroup(
  { group = '' }: { readonly group?: string },
  onlyGroup: string | undefined,
): readonly FieldError[] {
  if (onlyGroup === undefined || group === onlyGroup) return []
  return [invalid('spec.group', group, `must be "${onlyGroup}", the group of the request path`)]
}
