import { compareDecimals, type Decimal, decimal } from '../../decimal.ts'
import { parseQuantity } from '../../quantity.ts'
import { type CelError, fail, noSuchOverload, OpaqueValue, type Value } from '../evaluation/value.ts'
import { BOOL, DOUBLE, INT, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { QUANTITY } from './opaque-types.ts'

class QuantityValue extends OpaqueValue {
  readonly type = QUANTITY
  readonly amount: Decimal
  /** Whether it was written without parts of one: `1000m` is not, although it is one. */
  readonly isWhole: boolean

  constructor(amount: Decimal, isWhole: boolean) {
    super()
    this.amount = amount
    this.isWhole = isWhole
  }

  equals(other: Value): boolean | CelError {
    return other instanceof QuantityValue
      ? compareDecimals(this.amount, other.amount) === 0
      : noSuchOverload()
  }
}

/** Upstream reads only what has no fraction, of no part of a unit, as an integer. */
const whole = /^[+-]?\d+(?:[kMGTPE]i?|Ki|[eE]\+?\d+)?$/

function quantityOf(text: string): Value {
  const parsed = parseQuantity(text)
  return parsed.problem === undefined
    ? new QuantityValue(parsed.quantity, whole.test(text))
    : fail(parsed.problem)
}

/** More digits than any real amount has; beyond it, adding would cost memory without end. */
const maxDigits = 400

function scaled({ isNegative, digits, exponent }: Decimal, to: number): bigint {
  const amount = BigInt(`${digits === '' ? '0' : digits}${'0'.repeat(exponent - to)}`)
  return isNegative ? -amount : amount
}

function add(a: QuantityValue, b: QuantityValue, sign: 1n | -1n): Value {
  const to = Math.min(a.amount.exponent, b.amount.exponent)
  const most = Math.max(a.amount.exponent, b.amount.exponent)
  if (most - to > maxDigits) return fail('quantity is too large to compute with')
  const sum = scaled(a.amount, to) + sign * scaled(b.amount, to)
  const text = String(sum < 0n ? -sum : sum)
  return new QuantityValue(decimal(sum < 0n, text, to), a.isWhole && b.isWhole)
}

const fromInt = (value: bigint): QuantityValue =>
  new QuantityValue(decimal(value < 0n, String(value < 0n ? -value : value), 0), true)

function integerOf({ amount, isWhole }: QuantityValue): bigint | undefined {
  if (!isWhole || amount.exponent < 0 || amount.exponent > 18) return undefined
  const value = scaled(amount, 0)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

const order = (a: QuantityValue, b: QuantityValue): number => Math.sign(compareDecimals(a.amount, b.amount))
const signOf = ({ amount }: QuantityValue): bigint => {
  if (amount.digits === '') return 0n
  return amount.isNegative ? -1n : 1n
}

export const quantities: readonly FunctionDeclaration[] = [
  declare('quantity', globalForm('string_to_quantity', [STRING], QUANTITY, quantityOf)),
  declare(
    'isQuantity',
    globalForm(
      'is_quantity_string',
      [STRING],
      BOOL,
      (text: string) => parseQuantity(text).problem === undefined,
    ),
  ),
  declare('sign', globalForm('quantity_sign', [QUANTITY], INT, signOf)),
  declare(
    'isGreaterThan',
    method(
      'quantity_is_greater_than',
      [QUANTITY, QUANTITY],
      BOOL,
      (a: QuantityValue, b: QuantityValue) => order(a, b) > 0,
    ),
  ),
  declare(
    'isLessThan',
    method(
      'quantity_is_less_than',
      [QUANTITY, QUANTITY],
      BOOL,
      (a: QuantityValue, b: QuantityValue) => order(a, b) < 0,
    ),
  ),
  declare(
    'compareTo',
    method('quantity_compare_to', [QUANTITY, QUANTITY], INT, (a: QuantityValue, b: QuantityValue) =>
      BigInt(order(a, b)),
    ),
  ),
  declare(
    'asApproximateFloat',
    method('quantity_get_float', [QUANTITY], DOUBLE, ({ amount }: QuantityValue) =>
      Number(
        `${amount.isNegative ? '-' : ''}${amount.digits === '' ? '0' : amount.digits}e${amount.exponent}`,
      ),
    ),
  ),
  declare(
    'asInteger',
    method(
      'quantity_get_int',
      [QUANTITY],
      INT,
      (value: QuantityValue) => integerOf(value) ?? fail('cannot convert value to integer'),
    ),
  ),
  declare(
    'isInteger',
    method('quantity_is_integer', [QUANTITY], BOOL, (value: QuantityValue) => integerOf(value) !== undefined),
  ),
  declare(
    'add',
    method('quantity_add', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) =>
      add(a, b, 1n),
    ),
    method('quantity_add_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) =>
      add(a, fromInt(b), 1n),
    ),
  ),
  declare(
    'sub',
    method('quantity_sub', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) =>
      add(a, b, -1n),
    ),
    method('quantity_sub_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) =>
      add(a, fromInt(b), -1n),
    ),
  ),
]
