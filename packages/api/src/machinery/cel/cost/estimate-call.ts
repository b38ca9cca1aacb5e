import { CIDR, FORMAT, IP, QUANTITY, SEMVER, URL_TYPE } from '../library/opaque-types.ts'
import type { Expression } from '../syntax/expression.ts'
import type { CelType } from '../types/cel-type.ts'
import { type Estimate, fixed, ONE, plus, scale, times, UNKNOWN } from './estimates.ts'

/** A part of an expression, with what is known about its value before there is one. */
export interface EstimatedNode {
  readonly expression: Expression | undefined
  readonly type: CelType
  /** Undefined if nothing is known. */
  readonly size: Estimate | undefined
  /** For a list: the estimated size of its elements. */
  readonly elementSize: Estimate | undefined
}

export interface CallEstimate {
  /** Without what the arguments cost. */
  readonly cost: Estimate
  readonly size?: Estimate
}

const TEXT = 0.1
const PATTERN = 0.25
const sizeOf = (node: EstimatedNode | undefined): Estimate => node?.size ?? UNKNOWN
const text = (node: EstimatedNode | undefined, factor = 1): Estimate => scale(sizeOf(node), factor * TEXT)

type Estimator = (args: readonly EstimatedNode[]) => CallEstimate

const one: Estimator = () => ({ cost: ONE })
const overFirst: Estimator = ([first]) => ({ cost: text(first) })
const keepingSize: Estimator = ([first]) => ({ cost: text(first), size: sizeOf(first) })

const traversal: Estimator = ([list]) => {
  const [element] = list?.type.parameters ?? []
  if (!list || !element) return { cost: text(list) }
  const isText = element.kind === 'string' || element.kind === 'bytes'
  const each = isText ? plus(ONE, scale(list.elementSize ?? UNKNOWN, TEXT)) : ONE
  return { cost: times(sizeOf(list), each) }
}

const replacing: Estimator = ([target, old, by]) => {
  const size = sizeOf(target)
  const from = sizeOf(old)
  const to = sizeOf(by)
  const count = { min: 0, max: 0 }
  const kept = { min: 0, max: 0 }
  if (from.min === 0) {
    count.max = size.max + 1
    kept.max = size.max
  } else if (to.max <= from.min) kept.max = size.max
  else count.max = Math.ceil(size.max / from.min)
  if (from.max === 0) {
    count.min = size.min + 1
    kept.min = size.min
  } else if (from.max <= to.min) kept.min = size.min
  else count.min = Math.ceil(size.min / from.max)
  return { cost: text(target, 2), size: plus(times(count, to), kept) }
}

const splitting: Estimator = ([target, , limit]) => {
  const literal = limit?.expression?.kind === 'literal' ? limit.expression.value : undefined
  const max = typeof literal === 'bigint' && literal >= 0n ? Number(literal) : sizeOf(target).max
  return { cost: text(target, 2), size: { min: 0, max } }
}

const joining: Estimator = ([list, separator]) => {
  const count = sizeOf(list)
  const elements = list?.type.parameters.length ? times(count, list.elementSize ?? UNKNOWN) : fixed(0)
  const gaps = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
  const size = separator ? plus(elements, times(sizeOf(separator), gaps)) : elements
  return { cost: scale(size, TEXT), size }
}

const matching = (target: EstimatedNode | undefined, pattern: EstimatedNode | undefined): Estimate =>
  times(scale(plus(sizeOf(target), ONE), TEXT), scale(sizeOf(pattern), PATTERN))

const finding: Estimator = ([target, pattern]) => ({
  cost: matching(target, pattern),
  size: { min: 0, max: sizeOf(target).max },
})

const maxPatternOfFormat = 128
const validating: Estimator = ([, value]) => ({ cost: scale(text(value), maxPatternOfFormat * PATTERN) })

const named = (
  estimator: Estimator,
  ...names: readonly string[]
): ReadonlyArray<readonly [string, Estimator]> => names.map((name) => [name, estimator])

const byFunction: ReadonlyMap<string, Estimator> = new Map([
  ...named(traversal, 'isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'),
  ...named(keepingSize, 'url', 'lowerAscii', 'upperAscii', 'substring', 'trim'),
  ...named(replacing, 'replace'),
  ...named(splitting, 'split'),
  ...named(joining, 'join'),
  ...named(finding, 'find', 'findAll'),
  ...named(overFirst, 'cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'),
  ...named(([first]) => ({ cost: text(first, 2) }), 'ip.isCanonical'),
  ...named(one, 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast'),
  ...named(one, 'isLinkLocalUnicast', 'isGlobalUnicast', 'format.named', 'sign', 'asInteger', 'isInteger'),
  ...named(one, 'asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub'),
  ...named(one, 'major', 'minor', 'patch', 'getScheme', 'getHostname', 'getHost', 'getPort'),
  ...named(one, 'getEscapedPath', 'getQuery'),
  ...named(validating, 'validate'),
])

/** An address is four bytes or sixteen. */
const address: Estimate = { min: 4, max: 16 }
const twoAddresses = scale(plus(address, address), TEXT)
const inBlock: Estimator = () => ({ cost: twoAddresses })
const blockInBlock = plus(twoAddresses, scale(address, TEXT), ONE)

const allocating = (factor: number, size: Estimate): CallEstimate => ({
  cost: plus(scale(size, factor), ONE, fixed(10)),
  size,
})
const literalOr = (node: EstimatedNode | undefined, other: number): number => {
  const value = node?.expression?.kind === 'literal' ? node.expression.value : undefined
  if (typeof value !== 'bigint') return other
  return value < 0n ? 0 : Number(value)
}
const square = (node: EstimatedNode | undefined, factor: number): CallEstimate =>
  allocating(factor, times(sizeOf(node), sizeOf(node)))
const product =
  (factor: number): Estimator =>
  ([a, b]) => ({ cost: plus(scale(times(sizeOf(a), sizeOf(b)), factor), ONE) })

const comparison: Estimator = ([a, b]) => {
  const max = Math.min(sizeOf(a).max, sizeOf(b).max)
  return { cost: scale({ min: max > 0 ? 1 : 0, max }, TEXT) }
}

const unitTypes: ReadonlySet<string> = new Set([IP, CIDR, QUANTITY, SEMVER].map((type) => type.name))
const equality: Estimator = (args) => {
  const [a, b] = args
  if (a && b && a.type.name === b.type.name) {
    if (unitTypes.has(a.type.name) || a.type.name === URL_TYPE.name) return { cost: ONE }
    if (a.type.name === FORMAT.name) return { cost: scale({ min: 1, max: 64 }, TEXT) }
  }
  return comparison(args)
}

const adding = ([a, b]: readonly EstimatedNode[]): Estimate => plus(sizeOf(a), sizeOf(b))
const prefixes = ['less', 'greater', 'less_equals', 'greater_equals']

const byOverload: ReadonlyMap<string, Estimator> = new Map([
  ...named(overFirst, 'string_to_ip', 'string_format'),
  ...named(inBlock, 'cidr_contains_ip_ip'),
  ...named(([, other]) => ({ cost: plus(twoAddresses, text(other)) }), 'cidr_contains_ip_string'),
  ...named(() => ({ cost: blockInBlock }), 'cidr_contains_cidr'),
  ...named(([, other]) => ({ cost: plus(blockInBlock, text(other)) }), 'cidr_contains_cidr_string'),
  ...named(([list, start, end]) => {
    const size = Math.max(0, literalOr(end, sizeOf(list).max) - literalOr(start, 0))
    return allocating(1, fixed(size))
  }, 'list_slice'),
  ...named(([size]) => allocating(1, fixed(literalOr(size, UNKNOWN.max))), 'lists_range'),
  ...named(([list]) => allocating(1, sizeOf(list)), 'list_reverse', 'list_flatten'),
  ...named(([list, depth]) => allocating(literalOr(depth, UNKNOWN.max), sizeOf(list)), 'list_flatten_int'),
  ...named(([list]) => square(list, 2), 'list_distinct'),
  ...named(product(1), 'list_sets_contains_list', 'list_sets_intersects_list'),
  ...named(product(2), 'list_sets_equivalent_list'),
  ...named(
    ([value]) => ({ cost: text(value), size: { min: sizeOf(value).min, max: sizeOf(value).max * 4 } }),
    'string_to_bytes',
  ),
  ...named(
    ([value]) => ({
      cost: text(value),
      size: { min: Math.floor(sizeOf(value).min / 4), max: sizeOf(value).max },
    }),
    'bytes_to_string',
  ),
  ...named(
    ([value]) => ({
      cost: text(value),
      size: { min: sizeOf(value).min + 2, max: sizeOf(value).max * 2 + 2 },
    }),
    'strings_quote',
  ),
  ...named(([, part]) => ({ cost: text(part) }), 'starts_with_string', 'ends_with_string'),
  ...named(([, list]) => ({ cost: scale(sizeOf(list), 1) }), 'in_list'),
  ...named(([value, pattern]) => ({ cost: matching(value, pattern) }), 'matches', 'matches_string'),
  ...named(([value, part]) => ({ cost: times(text(value), text(part)) }), 'contains_string'),
  ...named((args) => ({ cost: scale(adding(args), TEXT), size: adding(args) }), 'add_string', 'add_bytes'),
  ...named((args) => ({ cost: ONE, size: adding(args) }), 'add_list'),
  ...named(comparison, ...prefixes.flatMap((prefix) => [`${prefix}_string`, `${prefix}_bytes`])),
  ...named(equality, 'equals', 'not_equals'),
])

/** The cost of a call without its arguments. Sorting a list costs the square of its length. */
export function estimateCall(name: string, overload: string, args: readonly EstimatedNode[]): CallEstimate {
  if (overload === 'cidr_ip') return { cost: ONE }
  const estimator = byFunction.get(name) ?? byOverload.get(overload)
  if (estimator) return estimator(args)
  const sorted = /^list_(\w+)_sort(ByAssociatedKeys)?$/.exec(overload)
  if (sorted) {
    const isText = sorted[1] === 'string' || sorted[1] === 'bytes'
    return square(sorted[2] === undefined ? args[0] : args[1], isText ? 2.1 : 2)
  }
  return { cost: ONE }
}
