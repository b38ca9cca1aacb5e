import {
  MalformedSelector,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { fieldsOf } from '../generate/json.ts'
import { mutateText } from '../generate/mutate-text.ts'
import { listOf, shortName, text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'

const word = (random: Random): string =>
  chance(random, 0.85)
    ? pick(random, ['a', 'b', 'c', 'in', 'notin', '1', '7', '007', '-3', 'a.b/c', 'x_y'])
    : text(random)
const space = (random: Random): string => (chance(random, 0.2) ? ' ' : '')

/** The meaning of a requirement. Its words may be anything. */
interface Requirement {
  readonly kind: string
  readonly key: string
  readonly values: readonly string[]
  /** White space, where there may be some. */
  readonly gap: string
}

function requirement(random: Random): Requirement {
  const kind = pick(random, ['=', '==', '!=', '<', '>', 'in', 'notin', 'exists', 'absent'])
  const values = kind === 'in' || kind === 'notin' ? listOf(random, 3, word) : [word(random)]
  return { kind, key: word(random), values, gap: space(random) }
}

function requirementText({ kind, key, values, gap }: Requirement): string {
  switch (kind) {
    case 'exists':
      return `${gap}${key}`
    case 'absent':
      return `!${gap}${key}`
    case 'in':
    case 'notin':
      return `${key} ${kind} ${gap}(${values.join(`,${gap}`)})`
    default:
      return `${key}${gap}${kind}${gap}${values[0] ?? ''}`
  }
}

/** A second evaluator. Labels are entries here, and a list of values is what stands between commas. */
function holds({ kind, key, values }: Requirement, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(key)
  const isListed = value !== undefined && (values.length === 0 ? value === '' : values.includes(value))
  switch (kind) {
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case '!=':
    case 'notin':
      return !isListed
    case '<':
    case '>': {
      if (value === undefined || !/^[-+]?\d+$/.test(value)) return false
      const difference = BigInt(value.replace('+', '')) - BigInt((values[0] ?? '').replace('+', ''))
      return kind === '<' ? difference < 0n : difference > 0n
    }
    default:
      return isListed
  }
}

const isPlain = ({ key, values, kind }: Requirement): boolean =>
  [key, ...values].every((each) => /^[a-z0-9](?:[-a-z0-9./_]*[a-z0-9])?$|^-\d+$/i.test(each)) &&
  !((kind === '<' || kind === '>') && !/^-?\d+$/.test(values[0] ?? ''))

/** Either requirements, which are written as text, or a damaged text. */
type SelectorInput = {
  readonly made: readonly Requirement[]
  readonly selector: string
  readonly labels: Record<string, string>
}

const joinedText = (made: readonly Requirement[]): string => made.map(requirementText).join(',')

export const labelSelector = pureTarget<SelectorInput>({
  name: 'label-selector',
  about: 'label selectors, compared with a second evaluator',
  share: 12,
  open: () => ({
    generate: (random) => {
      const made = listOf(random, 4, requirement)
      const labels = fieldsOf(listOf(random, 4, (each) => [word(each), word(each)])) as Record<string, string>
      if (chance(random, 0.6)) return { made, selector: '', labels }
      return { made: [], selector: mutateText(random, joinedText(made), word(random), 2_000), labels }
    },
    check: ({ made, selector: damaged, labels }) => {
      const selector = made.length > 0 ? joinedText(made) : damaged
      try {
        const parsed = parseLabelSelector(selector)
        const found = matchesLabels(parsed, labels)
        if (made.every(isPlain) && made.length > 0) {
          const wanted = made.every((each) => holds(each, new Map(Object.entries(labels))))
          expect(found === wanted, () => `matches: ${found}, the second evaluator says ${wanted}`)
        }
        const again = parseLabelSelector(selectorText(parsed))
        expect(
          JSON.stringify(again) === JSON.stringify(parsed),
          () => `read as ${shown(parsed)}, and what that says as ${shown(again)}`,
        )
        return 'accepted'
      } catch (error) {
        if (error instanceof MalformedSelector) return 'refused'
        throw error
      }
    },
  }),
})

function selectorText(parsed: ReturnType<typeof parseLabelSelector>): string {
  const signs = { greater: '>', less: '<' } as const
  return parsed
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key
      if (operator === 'absent') return `!${key}`
      if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${values.join(',')})`
      return `${key}${signs[operator]}${values[0]}`
    })
    .join(',')
}

const escaped = (value: string): string => value.replace(/[\\,=]/g, (each) => `\\${each}`)

interface FieldTerm {
  readonly field: string
  readonly operator: string
  readonly value: string
}

const termsText = (made: readonly FieldTerm[]): string =>
  made.map(({ field, operator, value }) => `${field}${operator}${escaped(value)}`).join(',')

const fieldNames = ['metadata.name', 'metadata.namespace', 'a', 'b'] as const

export const fieldSelector = pureTarget<{
  readonly made: readonly FieldTerm[]
  readonly selector: string
  readonly fields: Record<string, string>
}>({
  name: 'field-selector',
  about: 'field selectors with escapes, compared with a second evaluator',
  share: 8,
  open: () => ({
    generate: (random) => {
      const made = listOf(random, 3, (each) => ({
        field: pick(each, fieldNames),
        operator: pick(each, ['=', '==', '!=']),
        value: chance(each, 0.5) ? shortName(each) : text(each),
      }))
      const there = fieldNames.slice(integer(random, 4)).map((each) => [each, shortName(random)] as const)
      const fields = fieldsOf(there) as Record<string, string>
      if (chance(random, 0.6)) return { made, selector: '', fields }
      return { made: [], selector: mutateText(random, termsText(made), text(random), 2_000), fields }
    },
    check: ({ made, selector, fields }) => {
      const fieldValue = (field: string): string =>
        Object.hasOwn(fields, field) ? (fields[field] ?? '') : ''
      try {
        const parsed = parseFieldSelector(made.length > 0 ? termsText(made) : selector)
        const found = matchesFields(parsed, fieldValue)
        const wanted = made.every(
          ({ field, operator, value }) => (fieldValue(field) === value) === (operator !== '!='),
        )
        expect(
          made.length === 0 || found === wanted,
          () => `matches: ${found}, the second evaluator says ${wanted}`,
        )
        return 'accepted'
      } catch (error) {
        if (!(error instanceof MalformedSelector)) throw error
        expect(made.length === 0, () => `refused: ${error.message}`)
        return 'refused'
      }
    },
  }),
})
