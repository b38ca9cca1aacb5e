/**
 * A number whose text says more than a JavaScript number can hold: `9007199254740993`, or `1.0`. A decoder
 * that must not lose anything keeps it as `JSON.rawJSON`, and `JSON.stringify` writes it as it was read.
 */
export interface RawNumber {
  readonly rawJSON: string
}

// Missing in older browsers, which cannot make such a number either.
const { isRawJSON } = JSON as { isRawJSON?: (value: unknown) => boolean }

export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && isRawJSON?.(value) === true
}

const integer = /^-?\d+$/
const textOf = (value: number | RawNumber): string =>
  typeof value === 'number' ? String(value) : value.rawJSON

/** `1.0` is `1`, but two integers are the same only if all their digits are. */
export function numbersEqual(a: number | RawNumber, b: number | RawNumber): boolean {
  const left = textOf(a)
  const right = textOf(b)
  if (left === right) return true
  return integer.test(left) && integer.test(right)
    ? BigInt(left) === BigInt(right)
    : Number(left) === Number(right)
}

/** For comparisons: a number that is kept as its text can be compared with nothing, and throws. */
export function comparable(value: number | RawNumber): number {
  return typeof value === 'number' ? value : Number(value.rawJSON)
}

/** A limit of a schema, such as `maxLength`. A CRD may have any integer up to 2^63-1 there; nothing reaches one beyond 2^53. */
export function limitOf(value: number | RawNumber | undefined): number | undefined {
  return value === undefined ? undefined : comparable(value)
}

/** The plain number, unless that would lose digits of an integer. */
export function plainNumber(value: RawNumber): number | RawNumber {
  const plain = Number(value.rawJSON)
  return Number.isSafeInteger(plain) || !integer.test(value.rawJSON) ? plain : value
}
