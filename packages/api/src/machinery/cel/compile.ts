import { beginWork, CostLimitExceeded } from './cost/work.ts'
import type { Frame } from './evaluation/frame.ts'
import { type Program, plan } from './evaluation/plan.ts'
import { fail, type Value } from './evaluation/value.ts'
import { type Problem, problemsText } from './rules/problems.ts'
import { checkLiterals, programProblem } from './syntax/literal-checks.ts'
import { parse } from './syntax/parse.ts'
import { type Checked, check } from './types/check.ts'
import type { Environment } from './types/declaration.ts'

export interface Compiled {
  readonly checked: Checked
  /** Whether the expression says that name anywhere. */
  uses(variable: string): boolean
  /** Values are given in the order in which the environment has its variables. */
  run(values: readonly Value[], limit: number): Outcome
}

export interface Outcome {
  /** Undefined if the limit was reached. */
  readonly value: Value | undefined
  readonly cost: number
}

/** The phase that failed, in upstream's words (`compilation` or `instantiation`), and the error. */
export interface Failure {
  readonly stage: 'compilation' | 'instantiation'
  readonly problems: string
}

const refused = (source: string, problems: readonly Problem[]): Failure => ({
  stage: 'compilation',
  problems: problemsText(source, problems),
})

/** An expression that can be run, or what is wrong with it as upstream shows it. */
export function compile(source: string, environment: Environment): Compiled | Failure {
  const parsed = parse(source)
  if (parsed.problems) return refused(source, parsed.problems)
  const { checked, problems } = check(parsed.expression, environment)
  if (problems.length > 0) return refused(source, problems)
  const mistakes = checkLiterals(checked)
  if (mistakes.length > 0) return refused(source, mistakes)
  const pattern = programProblem(checked)
  if (pattern !== undefined) return { stage: 'instantiation', problems: pattern }
  const used = new Set<string>()
  for (const reference of checked.references.values()) {
    if (reference.kind === 'variable') used.add(reference.name.replace(/^\./, ''))
  }
  let program: Program | undefined
  return {
    checked,
    uses: (variable) => used.has(variable),
    run(values, limit) {
      program ??= plan(checked, [...environment.variables.keys()])
      return runProgram(program, values, limit)
    },
  }
}

function runProgram(program: Program, values: readonly Value[], limit: number): Outcome {
  const slots = new Array<Value>(program.slotCount).fill(null)
  for (const [index, value] of values.entries()) slots[index] = value
  const frame: Frame = { slots, cost: 0, limit }
  beginWork()
  try {
    return { value: program.run(frame), cost: frame.cost }
  } catch (error) {
    if (error instanceof CostLimitExceeded) return { value: undefined, cost: frame.cost }
    // Too deep or too large for the stack: an error for this expression, and not for the request.
    if (error instanceof RangeError)
      return { value: fail(`internal error: ${error.message}`), cost: frame.cost }
    throw error
  }
}
