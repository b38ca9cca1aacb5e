import { jsonEqual } from '../patch/json-value.ts'
import { isRawNumber } from '../patch/raw-number.ts'
import { goNumber } from './go-number.ts'

/** Whether a value is one of the enumerated. Null never is, even where it is enumerated: upstream overlooks it. */
export function compileEnumCheck(values: readonly unknown[]): (value: unknown) => boolean {
  const texts = new Set(values.filter((each) => typeof each === 'string'))
  const others = values.filter((each) => typeof each !== 'string' && each !== null)
  return (value) => {
    if (typeof value === 'string') return texts.has(value)
    if (value === null) return false
    return others.some((each) => isSame(value, each))
  }
}

/** Upstream gives a number the type of the enumerated one before it compares, which cuts off fractions. */
function isSame(value: unknown, enumerated: unknown): boolean {
  if (!isNumber(value) || !isNumber(enumerated)) return jsonEqual(value, enumerated)
  const wanted = goNumber(enumerated)
  const found = goNumber(value).value
  if (wanted.kind === 'number') return Number(found) === wanted.value
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are the same here if their values are.
  return (typeof found === 'bigint' ? found : Math.trunc(found)) == wanted.value
}

const isNumber = (value: unknown): value is number => typeof value === 'number' || isRawNumber(value)
