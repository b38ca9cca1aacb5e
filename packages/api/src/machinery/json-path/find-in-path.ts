import { goTypeName } from '../patch/go-value.ts'
import { fieldOf, isJsonObject } from '../patch/json-value.ts'
import { isRawNumber } from '../patch/raw-number.ts'
import { PathProblem, type PathStep, type Slice } from './path-step.ts'

/**
 * Evaluates a path: no values if a field is missing, and an error if the value cannot have such a part, as the third
 * element of a list of two.
 */
export function findInPath(values: readonly unknown[], path: readonly PathStep[]): readonly unknown[] {
  return path.reduce((found, step) => take(found, step), values)
}

function take(values: readonly unknown[], step: PathStep): readonly unknown[] {
  switch (step.do) {
    case 'field':
      return values.flatMap((each) => {
        const value = isJsonObject(each) ? fieldOf(each, step.field) : undefined
        return value === undefined ? [] : [value]
      })
    case 'all':
      return values.flatMap(contentOf)
    case 'descend':
      return values.flatMap(descend)
    case 'slice':
      return values.flatMap((each) => (each === null ? [] : sliced(listOf(each), step.slice)))
    case 'union':
      return step.paths.flatMap((path) => findInPath(values, path))
    case 'filter':
      return values.flatMap((each) => listOf(each).filter((item) => passes(item, step)))
    case 'value':
      return values.map(() => (step.isFloat ? new Float(Number(step.value)) : step.value))
    case 'identifier':
      throw new PathProblem(`unrecognized identifier ${step.name}`)
  }
}

/** In Go, 1.0 and 1 are not equal. */
class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new PathProblem(`${goTypeName(value)} is not array or slice`)
  return value
}

/** Sorted by name. Go's order is random and changes with every request. */
function contentOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isJsonObject(value)) return []
  return Object.keys(value)
    .sort()
    .map((field) => value[field])
}

function descend(value: unknown): readonly unknown[] {
  const content = contentOf(value)
  return content.length === 0 ? [] : [value, ...content.flatMap(descend)]
}

function sliced(
  list: readonly unknown[],
  { from = 0, to = list.length, step = 1, isIndex }: Slice,
): unknown[] {
  const { length } = list
  const start = from < 0 ? from + length : from
  const end = to < 0 || (to === 0 && isIndex) ? to + length : to
  if (start === end) return []
  if (start >= length || start < 0) throw outOfBounds(start, length)
  if (end > length || end < 0) throw outOfBounds(end - 1, length)
  if (start > end) throw new PathProblem(`starting index ${start} is greater than ending index ${end}`)
  if (step <= 0) throw new PathProblem('step must be > 0')
  return list.slice(start, end).filter((_, index) => index % step === 0)
}

const outOfBounds = (index: number, length: number): PathProblem =>
  new PathProblem(`array index out of bounds: index ${index}, length ${length}`)

function passes(item: unknown, { left, operator, right }: Extract<PathStep, { do: 'filter' }>): boolean {
  if (operator === 'exists') return exists(item, left)
  const lefts = findInPath([item], left)
  if (lefts.length === 0) return false
  const rights = findInPath([item], right)
  if (rights.length === 0) return false
  if (lefts.length > 1 || rights.length > 1) throw new PathProblem('can only compare one element at a time')
  return compare(lefts[0], operator, rights[0])
}

function exists(item: unknown, path: readonly PathStep[]): boolean {
  try {
    return findInPath([item], path).length > 0
  } catch (error) {
    if (error instanceof PathProblem) return false
    throw error
  }
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  const [kind, a] = comparable(left)
  const [otherKind, b] = comparable(right)
  if (kind !== otherKind) throw new PathProblem('incompatible types for comparison')
  if (operator === '==') return a === b
  if (operator === '!=') return a !== b
  if (kind === 'bool') throw new PathProblem('invalid type for comparison')
  if (operator === '<') return a < b
  if (operator === '>') return a > b
  if (operator === '<=') return a <= b
  if (operator === '>=') return a >= b
  throw new PathProblem(`unrecognized filter operator ${operator}`)
}

function comparable(value: unknown): readonly [kind: string, value: string | number | boolean | bigint] {
  if (value instanceof Float) return ['float', value.value]
  if (typeof value === 'boolean') return ['bool', value]
  if (typeof value === 'string') return ['string', value]
  if (isRawNumber(value)) {
    return /^-?\d+$/.test(value.rawJSON) ? ['int', BigInt(value.rawJSON)] : ['float', Number(value.rawJSON)]
  }
  if (typeof value === 'number') return Number.isInteger(value) ? ['int', BigInt(value)] : ['float', value]
  throw new PathProblem('invalid type for comparison')
}
