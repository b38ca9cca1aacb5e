import { type Cost, callCost } from '../cost/call-cost.ts'
import type { CelType } from '../types/cel-type.ts'
import type { Overload } from '../types/declaration.ts'
import { fitsType } from '../types/type-match.ts'
import { charge, type Frame, type Run } from './frame.ts'
import { type CelError, fail, isError, noSuchOverload, typeNameOf, type Value } from './value.ts'

const isCertain = (type: CelType | undefined): boolean =>
  type !== undefined && type.kind !== 'dyn' && type.kind !== 'param' && type.parameters.every(isCertain)

type Call = (...args: readonly Value[]) => Value

/** A call of one of these forms of a function. Which one it is may depend on the values. */
export function invocation(
  name: string,
  overloads: readonly Overload[],
  runs: readonly Run[],
  types: ReadonlyArray<CelType | undefined>,
): Run {
  const [only] = overloads
  const cost = callCost(name, only?.id)
  if (overloads.length === 1 && only && types.every(isCertain)) {
    const call = only.run as Call
    if (name === 'lists.range') return rangeCall(runs, call, cost)
    return (frame) => {
      const values = runAll(runs, frame, cost)
      if (isError(values)) return values
      const result = call(...values)
      charge(frame, cost ? cost(values, result) : 1)
      return result
    }
  }
  const costs = overloads.map(({ id }) => callCost(name, id))
  return (frame) => {
    const values = runAll(runs, frame, cost)
    if (isError(values)) return values
    const index = overloads.findIndex(({ parameters }) =>
      parameters.every((type, at) => fitsType(values[at] as Value, type)),
    )
    const found = overloads[index]
    if (!found) {
      charge(frame, 1)
      return name.includes('_')
        ? noSuchOverload()
        : fail(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`)
    }
    const result = (found.run as Call)(...values)
    charge(frame, costs[index]?.(values, result) ?? 1)
    return result
  }
}

/** The arguments of a call, or the first of them that is an error. One of one or two is paid for even then. */
function runAll(runs: readonly Run[], frame: Frame, cost: Cost | undefined): Value[] | CelError {
  const values: Value[] = []
  let problem: CelError | undefined
  for (const run of runs) {
    const value = run(frame)
    if (isError(value)) {
      problem ??= value
      if (runs.length > 2) return problem
    }
    values.push(value)
  }
  if (!problem) return values
  charge(frame, cost ? cost(values, problem) : 1)
  return problem
}

/** Upstream charges calls after they return. This call could cost far more than the rest of the budget. */
function rangeCall(runs: readonly Run[], call: Call, cost: Cost | undefined): Run {
  return (frame) => {
    const values = runAll(runs, frame, cost)
    if (isError(values)) return values
    const [size] = values
    if (typeof size === 'bigint' && size > BigInt(Math.max(0, Math.floor(frame.limit - frame.cost)))) {
      charge(frame, Number(size))
    }
    const result = call(...values)
    charge(frame, cost ? cost(values, result) : 1)
    return result
  }
}
