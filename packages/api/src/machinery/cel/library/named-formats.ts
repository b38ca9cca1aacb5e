import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValueRule,
  type NameRule,
  qualifiedName,
} from '../../name-rules.ts'
import { ArrayList, OptionalValue, type Value } from '../evaluation/value.ts'
import { listOf, optionalOf, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { FormatValue } from './format-value.ts'
import { FORMAT } from './opaque-types.ts'
import { daysFromEpoch } from './time-text.ts'
import { requestUrlProblem } from './urls.ts'

/** In a prefix, anything after the last dash is valid. */
const asPrefix =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text)

const unless =
  (holds: (text: string) => boolean, problem: string): NameRule =>
  (text) =>
    holds(text) ? [] : [problem]

const uuidPattern = '(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$'
const timePattern = '^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$'
const uuid = new RegExp(uuidPattern.slice(4), 'i')
const time = new RegExp(timePattern)
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  return day !== undefined && daysFromEpoch(Number(year), Number(month), Number(day)) !== undefined
}

function isDateTime(text: string): boolean {
  const [day = '', clock] = text.toLowerCase().split('t')
  if (clock === undefined || !isDate(day)) return false
  const [, hour, minute, second] = time.exec(clock) ?? []
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
}

const uri: NameRule = (text) => {
  const problem = requestUrlProblem(text)
  return problem === undefined ? [] : [problem]
}

const known: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', 'DNS1123Label', dns1123Label, 30],
      ['dns1123Subdomain', 'DNS1123Subdomain', dns1123Subdomain, 60],
      ['dns1035Label', 'DNS1035Label', dns1035Label, 30],
      ['qualifiedName', 'QualifiedName', qualifiedName, 60],
      ['dns1123LabelPrefix', 'DNS1123LabelPrefix', asPrefix(dns1123Label), 30],
      ['dns1123SubdomainPrefix', 'DNS1123SubdomainPrefix', asPrefix(dns1123Subdomain), 60],
      ['dns1035LabelPrefix', 'DNS1035LabelPrefix', asPrefix(dns1035Label), 30],
      ['labelValue', 'LabelValue', labelValueRule, 40],
      ['uri', 'URI', uri, 1103],
      [
        'uuid',
        'uuid',
        unless((text) => uuid.test(text), 'does not match the UUID format'),
        uuidPattern.length,
      ],
      ['byte', 'byte', unless((text) => base64.test(text), 'invalid base64'), 84],
      ['date', 'date', unless(isDate, 'invalid date'), timePattern.length],
      ['datetime', 'datetime', unless(isDateTime, 'invalid datetime'), timePattern.length],
    ] as const
  ).map(([key, name, rule, size]) => [key, new FormatValue(name, rule, size)]),
)

function validate(format: FormatValue, text: string): Value {
  const problems = format.problems(text)
  return problems.length === 0 ? OptionalValue.none : new OptionalValue(new ArrayList([...problems]))
}

export const namedFormats: readonly FunctionDeclaration[] = [
  ...[...known].map(([key, format]) =>
    declare(
      `format.${key}`,
      globalForm(`format.${key}`, [], FORMAT, () => format),
    ),
  ),
  declare(
    'format.named',
    globalForm('format-named', [STRING], optionalOf(FORMAT), (name: string) => {
      const found = known.get(name)
      return found ? new OptionalValue(found) : OptionalValue.none
    }),
  ),
  declare('validate', method('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate)),
]
