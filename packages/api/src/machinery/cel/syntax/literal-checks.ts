import { CelError } from '../evaluation/value.ts'
import { patternProblem } from '../library/patterns.ts'
import { checkedTimestamp } from '../library/time-range.ts'
import { parseGoDuration, parseTimestamp } from '../library/time-text.ts'
import type { Problem } from '../rules/problems.ts'
import { type CelType, isOptional, sameType, typeText, unwrapOptional } from '../types/cel-type.ts'
import type { Checked } from '../types/check.ts'
import { type Call, childrenOf, type Expression } from './expression.ts'

/** A pattern that upstream compiles when it makes a program of the expression, and that is none. */
export function programProblem({ expression }: Checked): string | undefined {
  const pending = [expression]
  for (let part = pending.pop(); part; part = pending.pop()) {
    pending.push(...childrenOf(part))
    if (part.kind !== 'call' || (part.name !== 'find' && part.name !== 'findAll')) continue
    const [pattern] = part.arguments
    const text = pattern?.kind === 'literal' ? pattern.value : undefined
    const problem = typeof text === 'string' ? patternProblem(text) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Static checks of literals: invalid durations, times and patterns, and mixed lists. */
export function checkLiterals(checked: Checked): readonly Problem[] {
  const problems: Problem[] = []
  visit(checked.expression, false)
  return problems

  function visit(expression: Expression, isFormatted: boolean): void {
    if (expression.kind === 'call') checkCall(expression, problems)
    if (!isFormatted) checkMixture(expression, checked.types, problems)
    const formats = isFormatted || (expression.kind === 'call' && expression.name === 'format')
    for (const child of childrenOf(expression)) visit(child, formats)
  }
}

const wrong: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseGoDuration(text) === undefined,
  timestamp: (text) => parseTimestamp(text) === undefined,
  matches: (text) => patternProblem(text) !== undefined,
}

function checkCall(call: Call, problems: Problem[]): void {
  const isWrong = Object.hasOwn(wrong, call.name) ? wrong[call.name] : undefined
  if (!isWrong) return
  // The pattern is the second argument of the function and the first of the method; upstream looks only at the latter.
  const [argument] = call.arguments
  if (argument?.kind !== 'literal') return
  if (call.name === 'timestamp' && typeof argument.value === 'bigint') {
    const isTime = !(checkedTimestamp(argument.value * 1_000_000_000n) instanceof CelError)
    if (!isTime) problems.push({ offset: argument.offset, message: 'invalid timestamp argument' })
  }
  if (typeof argument.value !== 'string') return
  if (call.name === 'matches' && !call.target) return
  if (isWrong(argument.value))
    problems.push({ offset: argument.offset, message: `invalid ${call.name} argument` })
}

type Types = ReadonlyMap<Expression, CelType>

/** The elements of a list, the keys of a map and its values have one type each. */
function checkMixture(expression: Expression, types: Types, problems: Problem[]): void {
  if (expression.kind === 'list') {
    const { elements, optionals } = expression
    let first: CelType | undefined
    for (const [index, element] of elements.entries()) {
      const type = entryType(types.get(element), optionals.has(index))
      if (!first) first = type
      else if (type && !sameType(first, type)) {
        problems.push(mismatch(element, first, type))
        return
      }
    }
  } else if (expression.kind === 'map') {
    let first: { key: CelType | undefined; value: CelType | undefined } | undefined
    for (const { key, value, isOptional: isOptionalEntry } of expression.entries) {
      const found = { key: types.get(key), value: entryType(types.get(value), isOptionalEntry) }
      if (!first) {
        first = found
        continue
      }
      if (first.key && found.key && !sameType(first.key, found.key))
        problems.push(mismatch(key, first.key, found.key))
      if (first.value && found.value && !sameType(first.value, found.value)) {
        problems.push(mismatch(value, first.value, found.value))
      }
    }
  }
}

const entryType = (type: CelType | undefined, isOptionalEntry: boolean): CelType | undefined =>
  type && isOptionalEntry && isOptional(type) ? unwrapOptional(type) : type

const mismatch = ({ offset }: Expression, expected: CelType, found: CelType): Problem => ({
  offset,
  message: `expected type '${typeText(expected)}' but found '${typeText(found)}'`,
})
