import { type Condition, forbidden } from '@strata/api'
import { type Invocation, requestOf } from './admission-review.ts'
import type { Hook } from './hook.ts'

/** Upstream's cost limit for all match conditions of one webhook. */
const budgetOfAll = 2_500_000

type Verdict = 'holds' | 'fails' | { readonly errors: readonly string[] }

/** A false condition decides, even if others fail. */
function judgeConditions(
  conditions: readonly Condition[],
  variables: Parameters<Condition['evaluate']>[0],
): Verdict {
  const errors: string[] = []
  let budget = budgetOfAll
  for (const condition of conditions) {
    const outcome = condition.evaluate(variables, budget)
    budget -= outcome.cost
    if (outcome.error !== undefined) errors.push(outcome.error)
    else if (!outcome.holds) return 'fails'
  }
  return errors.length === 0 ? 'holds' : { errors }
}

/** Whether the match conditions of a webhook hold. If one cannot be evaluated: false with failurePolicy Ignore, else a 403. */
export function meetsConditions({ conditions, failsOpen }: Hook, invocation: Invocation): boolean {
  if (conditions.length === 0) return true
  const { object, oldObject, request } = invocation
  const verdict = judgeConditions(conditions, { object, oldObject, request: requestOf(invocation) })
  if (typeof verdict === 'string') return verdict === 'holds'
  if (failsOpen) return false
  const { errors } = verdict
  const why = errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`
  throw forbidden(request.resource.definition, request.name, why)
}
