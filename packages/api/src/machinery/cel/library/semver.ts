import { CelError, fail, noSuchOverload, OpaqueValue, type Value } from '../evaluation/value.ts'
import { BOOL, INT, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { SEMVER } from './opaque-types.ts'

class SemverValue extends OpaqueValue {
  readonly type = SEMVER
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly preRelease: readonly string[]

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly string[]) {
    super()
    this.numbers = numbers
    this.preRelease = preRelease
  }

  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? compareSemver(this, other) === 0 : noSuchOverload()
  }
}

const names = ['major', 'minor', 'patch'] as const

/** Strictly, as semver.org has it. */
function parseSemver(text: string): SemverValue | CelError {
  if (text === '') return fail('Version string empty')
  const parts = splitAt(text, '.', 3)
  if (parts.length !== 3) return fail('No Major.Minor.Patch elements found')
  const [, tail = ''] = /^[^+-]*([\s\S]*)$/.exec(parts[2] ?? '') ?? []
  const numbers: bigint[] = []
  for (const [index, name] of names.entries()) {
    const part =
      index < 2 ? (parts[index] ?? '') : (parts[2] ?? '').slice(0, (parts[2] ?? '').length - tail.length)
    const label = name[0]?.toUpperCase() + name.slice(1)
    if (!/^\d+$/.test(part))
      return fail(`Invalid character(s) found in ${name} number ${JSON.stringify(part)}`)
    if (part.length > 1 && part.startsWith('0'))
      return fail(`${label} number must not contain leading zeroes ${JSON.stringify(part)}`)
    const value = BigInt(part)
    if (BigInt.asUintN(64, value) !== value)
      return fail(`strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range`)
    numbers.push(value)
  }
  return withTail(numbers as unknown as readonly [bigint, bigint, bigint], tail)
}

function withTail(numbers: readonly [bigint, bigint, bigint], tail: string): SemverValue | CelError {
  const plus = tail.indexOf('+')
  const build = plus < 0 ? [] : tail.slice(plus + 1).split('.')
  const pre = tail.startsWith('-') ? tail.slice(1, plus < 0 ? undefined : plus).split('.') : []
  for (const each of pre) {
    if (each === '') return fail('Prerelease is empty')
    if (!/^[0-9A-Za-z-]+$/.test(each))
      return fail(`Invalid character(s) found in prerelease ${JSON.stringify(each)}`)
    if (/^0\d+$/.test(each))
      return fail(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(each)}`)
  }
  for (const each of build) {
    if (each === '') return fail('Build meta data is empty')
    if (!/^[0-9A-Za-z-]+$/.test(each))
      return fail(`Invalid character(s) found in build meta data ${JSON.stringify(each)}`)
  }
  return new SemverValue(numbers, pre)
}

function splitAt(text: string, separator: string, limit: number): string[] {
  const parts = text.split(separator)
  return parts.length <= limit
    ? parts
    : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]
}

/** With a `v` before it, fewer numbers, or zeros before them. */
function parseLoosely(text: string): SemverValue | CelError {
  const parts = splitAt(text.replace(/^v/, ''), '.', 3).map((part) => {
    if (part.length <= 1) return part
    const trimmed = part.replace(/^0+/, '')
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`
  })
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return fail('short version cannot contain PreRelease/Build meta data')
  }
  while (parts.length < 3) parts.push('0')
  return parseSemver(parts.join('.'))
}

function compareSemver(a: SemverValue, b: SemverValue): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  // A version without a pre-release is the release itself, and newer.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return (
      Math.sign(b.preRelease.length - a.preRelease.length) *
      (a.preRelease.length === b.preRelease.length ? 0 : 1)
    )
  }
  for (const [index, part] of a.preRelease.entries()) {
    const other = b.preRelease[index]
    if (other === undefined) return 1
    const order = comparePart(part, other)
    if (order !== 0) return order
  }
  return a.preRelease.length < b.preRelease.length ? -1 : 0
}

/** Numbers come before words. */
function comparePart(a: string, b: string): number {
  const isNumber = /^\d+$/.test(a)
  if (isNumber !== /^\d+$/.test(b)) return isNumber ? -1 : 1
  if (isNumber) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0
  return a < b ? -1 : a > b ? 1 : 0
}

const parse = (text: string, loosely = false): SemverValue | CelError =>
  loosely ? parseLoosely(text) : parseSemver(text)
const isSemver = (text: string, loosely = false): boolean => !(parse(text, loosely) instanceof CelError)

export const semver: readonly FunctionDeclaration[] = [
  declare(
    'semver',
    globalForm('string_to_semver', [STRING], SEMVER, parse),
    globalForm('string_bool_to_semver', [STRING, BOOL], SEMVER, parse),
  ),
  declare(
    'isSemver',
    globalForm('is_semver_string', [STRING], BOOL, isSemver),
    globalForm('is_semver_string_bool', [STRING, BOOL], BOOL, isSemver),
  ),
  declare(
    'isGreaterThan',
    method(
      'semver_is_greater_than',
      [SEMVER, SEMVER],
      BOOL,
      (a: SemverValue, b: SemverValue) => compareSemver(a, b) > 0,
    ),
  ),
  declare(
    'isLessThan',
    method(
      'semver_is_less_than',
      [SEMVER, SEMVER],
      BOOL,
      (a: SemverValue, b: SemverValue) => compareSemver(a, b) < 0,
    ),
  ),
  declare(
    'compareTo',
    method('semver_compare_to', [SEMVER, SEMVER], INT, (a: SemverValue, b: SemverValue) =>
      BigInt(compareSemver(a, b)),
    ),
  ),
  ...names.map((name, index) =>
    declare(
      name,
      method(`semver_${name}`, [SEMVER], INT, ({ numbers }: SemverValue) => numbers[index] ?? 0n),
    ),
  ),
]
