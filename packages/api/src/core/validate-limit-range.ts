import { compareDecimals } from '../machinery/decimal.ts'
import { duplicate, type FieldError, fieldForbidden, invalid, required } from '../machinery/field-error.ts'
import { qualifiedName } from '../machinery/name-rules.ts'
import type { Quantity } from '../machinery/quantity.ts'
import type { LimitRange, LimitRangeItem } from './limit-range.ts'
import { amountOf, type ResourceList } from './resource-list.ts'
import { containerResourceProblems, isOvercommitAllowed, resourceNameProblems } from './resource-name.ts'

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
type ListName = (typeof lists)[number]

const standardTypes: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim'])

export function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>()
  return (spec?.limits ?? []).flatMap((limit, index) => {
    const path = `spec.limits[${index}]`
    const isRepeated = types.has(limit.type)
    types.add(limit.type)
    return [
      ...typeProblems(limit.type, `${path}.type`),
      ...(isRepeated ? [duplicate(`${path}.type`, limit.type)] : []),
      ...listProblems(limit, path),
      ...namesIn(limit).flatMap((name) => amountProblems(limit, name, path)),
    ]
  })
}

function typeProblems(type: string, path: string): FieldError[] {
  const problems = qualifiedName(type).map((problem) => invalid(path, type, problem))
  if (problems.length > 0 || type.includes('/') || standardTypes.has(type)) return problems
  return [invalid(path, type, 'must be a standard limit type or fully qualified')]
}

/** Pods have no defaults: their containers do. */
function isOfPod({ type }: LimitRangeItem, list: ListName): boolean {
  return type === 'Pod' && (list === 'default' || list === 'defaultRequest')
}

function listProblems(limit: LimitRangeItem, path: string): FieldError[] {
  const { type, min, max } = limit
  const nameProblems =
    type === 'Pod' || type === 'Container' ? containerResourceProblems : resourceNameProblems
  const errors: FieldError[] = []
  for (const list of lists) {
    const names = Object.keys(limit[list] ?? {})
    if (
      list === 'maxLimitRequestRatio' &&
      type === 'PersistentVolumeClaim' &&
      !min?.storage &&
      !max?.storage
    ) {
      const detail = 'either minimum or maximum storage value is required, but neither was provided'
      errors.push(required(`${path}.limits`, detail))
    }
    if (!isOfPod(limit, list)) {
      errors.push(...names.flatMap((name) => nameProblems(name, `${path}.${list}[${name}]`)))
    } else if (names.length > 0) {
      errors.push(fieldForbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"))
    }
  }
  return errors
}

function namesIn(limit: LimitRangeItem): string[] {
  return [...new Set(lists.flatMap((list) => (isOfPod(limit, list) ? [] : Object.keys(limit[list] ?? {}))))]
}

interface Amount {
  readonly text: string
  readonly value: Quantity
}

/** Pairs of lists: the first must not exceed the second. `at` is the field of the error, `shown` the value in it. */
const order: ReadonlyArray<
  [less: ListName, more: ListName, at: ListName, shown: ListName, lessIs: string, moreIs: string]
> = [
  ['min', 'max', 'min', 'min', 'min value', 'max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request value', 'max value'],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'default limit value',
  ],
  ['min', 'default', 'default', 'min', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
]

function amountProblems(limit: LimitRangeItem, name: string, path: string): FieldError[] {
  const amount = (list: ListName): Amount | undefined =>
    isOfPod(limit, list) ? undefined : amountIn(limit[list], name)
  const errors: FieldError[] = []
  for (const [less, more, at, shown, lessIs, moreIs] of order) {
    const [low, high] = [amount(less), amount(more)]
    if (!low || !high || compareDecimals(low.value, high.value) <= 0) continue
    const detail = `${lessIs} ${low.text} is greater than ${moreIs} ${high.text}`
    errors.push(invalid(`${path}.${at}[${name}]`, amount(shown)?.text, detail))
  }
  const ratioPath = `${path}.maxLimitRequestRatio[${name}]`
  errors.push(...ratioProblems(amount('maxLimitRequestRatio'), amount('min'), amount('max'), ratioPath))
  const [limited, requested] = [amount('default'), amount('defaultRequest')]
  if (limited && requested && !isOvercommitAllowed(name)) {
    const detail = `default value ${limited.text} must equal to defaultRequest value ${requested.text} in ${name}`
    if (compareDecimals(limited.value, requested.value) !== 0) {
      errors.push(invalid(`${path}.defaultRequest[${name}]`, requested.text, detail))
    }
  }
  return errors
}

function amountIn(list: ResourceList | undefined, name: string): Amount | undefined {
  if (!list || !Object.hasOwn(list, name)) return undefined
  const text = list[name] ?? ''
  return { text, value: amountOf(text) }
}

const one = amountOf('1')

function ratioProblems(
  ratio: Amount | undefined,
  min: Amount | undefined,
  max: Amount | undefined,
  path: string,
): FieldError[] {
  if (!ratio) return []
  const errors: FieldError[] = []
  if (compareDecimals(ratio.value, one) < 0) {
    errors.push(invalid(path, ratio.text, `ratio ${ratio.text} is less than 1`))
  }
  const most = min && max ? milliOf(max) / milliOf(min) : Number.NaN
  if (milliOf(ratio) / 1000 > most) {
    const detail = `ratio ${ratio.text} is greater than max/min = ${most.toFixed(6)}`
    errors.push(invalid(path, ratio.text, detail))
  }
  return errors
}

/** In thousandths, as a float: what upstream divides. */
function milliOf({ value: { isNegative, digits, exponent } }: Amount): number {
  return Number(`${isNegative ? '-' : ''}${digits || '0'}e${exponent + 3}`)
}
