import { chance, integer, pick, type Random } from '@strata/world'

/** The value of an expression. An error is `undefined`: which error it is, is not specified. */
type Result<T> = { readonly text: string; readonly value: T | undefined }

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n
const inRange = (value: bigint): bigint | undefined => (value < least || value > most ? undefined : value)

/**
 * A number, a truth value or a text as an expression, beside what it comes to by a second, simple evaluator: the value is
 * computed while the text is made.
 */
export function numberExpression(random: Random, depth: number): Result<bigint> {
  if (depth === 0) return numberLiteral(random)
  const draw = integer(random, 8)
  if (draw < 5) return arithmetic(random, depth)
  if (draw < 6) return conditional(random, depth, numberExpression)
  if (draw < 7) {
    const { text, value } = textExpression(random, depth - 1)
    return { text: `size(${text})`, value: value === undefined ? undefined : BigInt([...value].length) }
  }
  const items = Array.from({ length: 1 + integer(random, 3) }, () => numberExpression(random, depth - 1))
  const at = integer(random, items.length + 1)
  const isWhole = items.every(({ value }) => value !== undefined)
  return {
    text: `[${items.map(({ text }) => text).join(', ')}][${at}]`,
    value: isWhole ? items[at]?.value : undefined,
  }
}

function numberLiteral(random: Random): Result<bigint> {
  const value = pick(random, [
    0n,
    1n,
    -1n,
    2n,
    7n,
    100n,
    most,
    least,
    2n ** 31n,
    BigInt(integer(random, 1_000_000)),
  ])
  return { text: value < 0n ? `(${value})` : String(value), value }
}

function arithmetic(random: Random, depth: number): Result<bigint> {
  const left = numberExpression(random, depth - 1)
  const right = numberExpression(random, depth - 1)
  const operator = pick(random, ['+', '-', '*', '/', '%'])
  const text = `(${left.text} ${operator} ${right.text})`
  if (left.value === undefined || right.value === undefined) return { text, value: undefined }
  return { text, value: compute(operator, left.value, right.value) }
}

function compute(operator: string, a: bigint, b: bigint): bigint | undefined {
  switch (operator) {
    case '+':
      return inRange(a + b)
    case '-':
      return inRange(a - b)
    case '*':
      return inRange(a * b)
    case '/':
      return b === 0n ? undefined : inRange(a / b)
    default:
      // As Go has it, which computes the quotient too.
      return b === 0n || (a === least && b === -1n) ? undefined : a % b
  }
}

export function truthExpression(random: Random, depth: number): Result<boolean> {
  if (depth === 0) {
    const value = chance(random, 0.5)
    return { text: String(value), value }
  }
  switch (integer(random, 6)) {
    case 0:
      return negation(truthExpression(random, depth - 1))
    case 1:
    case 2:
      return decision(random, depth)
    case 3:
      return comparison(random, numberExpression(random, depth - 1), numberExpression(random, depth - 1))
    case 4:
      return quantifier(random, depth)
    default:
      return conditional(random, depth, truthExpression)
  }
}

const negation = ({ text, value }: Result<boolean>): Result<boolean> => ({
  text: `!(${text})`,
  value: value === undefined ? undefined : !value,
})

/** If one side decides, an error on the other side does not matter. */
function decision(random: Random, depth: number): Result<boolean> {
  const sides = [truthExpression(random, depth - 1), truthExpression(random, depth - 1)]
  const isAnd = chance(random, 0.5)
  const text = sides.map((each) => `(${each.text})`).join(isAnd ? ' && ' : ' || ')
  return { text, value: decided(sides, isAnd) }
}

function decided(sides: readonly Pick<Result<boolean>, 'value'>[], isAnd: boolean): boolean | undefined {
  const deciding = !isAnd
  if (sides.some(({ value }) => value === deciding)) return deciding
  return sides.some(({ value }) => value === undefined) ? undefined : isAnd
}

function comparison(random: Random, left: Result<bigint>, right: Result<bigint>): Result<boolean> {
  const operator = pick(random, ['<', '<=', '>', '>=', '==', '!='])
  const text = `${left.text} ${operator} ${right.text}`
  const { value: a } = left
  const { value: b } = right
  return { text, value: a === undefined || b === undefined ? undefined : compared(operator, a, b) }
}

function compared(operator: string, a: bigint, b: bigint): boolean {
  const results: Readonly<Record<string, boolean>> = {
    '<': a < b,
    '<=': a <= b,
    '>': a > b,
    '>=': a >= b,
    '==': a === b,
  }
  return results[operator] ?? a !== b
}

/** `[…].all(x, 7 / x > 1)`: each item decides, or is an error. */
function quantifier(random: Random, depth: number): Result<boolean> {
  const items = Array.from({ length: integer(random, 4) }, () => numberExpression(random, depth - 1))
  const [bound, dividend] = [BigInt(integer(random, 4)), BigInt(integer(random, 20))]
  const isAll = chance(random, 0.5)
  const text = `[${items.map((each) => each.text).join(', ')}].${isAll ? 'all' : 'exists'}(x, ${dividend} / x > ${bound})`
  if (items.some(({ value }) => value === undefined)) return { text, value: undefined }
  const sides = items.map(({ value = 0n }) => ({
    value: value === 0n ? undefined : dividend / value > bound,
  }))
  return { text, value: decided(sides, isAll) }
}

function textExpression(random: Random, depth: number): Result<string> {
  const value = pick(random, ['', 'a', 'ab', 'é', '\u{1f600}', 'a b'])
  const literal = { text: `'${value}'`, value }
  if (depth <= 0 || chance(random, 0.4)) return literal
  const other = textExpression(random, depth - 1)
  return {
    text: `(${literal.text} + ${other.text})`,
    value: other.value === undefined ? undefined : value + other.value,
  }
}

function conditional<T>(
  random: Random,
  depth: number,
  make: (random: Random, depth: number) => Result<T>,
): Result<T> {
  const condition = truthExpression(random, depth - 1)
  const [yes, no] = [make(random, depth - 1), make(random, depth - 1)]
  const text = `((${condition.text}) ? ${yes.text} : ${no.text})`
  if (condition.value === undefined) return { text, value: undefined }
  return { text, value: condition.value ? yes.value : no.value }
}
