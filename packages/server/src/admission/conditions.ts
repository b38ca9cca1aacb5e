import { type Condition, forbidden } from '@strata/api'
import { type Invocation, requestOf } from './admission-review.ts'
import type { Hook } from './hook.ts'

/** What all conditions of one webhook may cost together; upstream's. */
const budgetOfAll = 2_500_000

type Verdict = 'holds' | 'fails' | { readonly errors: readonly string[] }

/** One that is false decides, whatever is wrong with the others. */
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

/** Whether a webhook is to be asked about a request that it is otherwise concerned by. Throws 403 if nobody can tell. */
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
