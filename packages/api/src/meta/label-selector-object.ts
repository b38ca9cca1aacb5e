import { type FieldError, fieldForbidden, invalid, required } from '../machinery/field-error.ts'
import { metaPackage } from '../machinery/field-schemas.ts'
import { structSchema, text, textList, textMap } from '../machinery/identity-version.ts'
import { labelValueRule, qualifiedName } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'
import type { LabelOperator, LabelSelector } from './label-selector.ts'

/** A selector as objects carry it, where queries have a text. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelExpression[]
}

export interface LabelExpression {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

const expressionsSchema: Schema = {
  type: 'array',
  nullable: true,
  'x-kubernetes-list-type': 'atomic',
  items: requirementSchema('LabelSelectorRequirement'),
  description: 'Requirements on labels, all of which must match.',
}

/** Label and field requirements have the same schema, under different type names. */
export function requirementSchema(name: string): Schema {
  const values = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' } as const
  return structSchema(
    `${metaPackage}.${name}`,
    'A requirement on one label or field.',
    {
      key: { ...text, description: 'The label or field.' },
      operator: { ...text, description: 'In, NotIn, Exists or DoesNotExist.' },
      values: { ...values, description: 'The values, for In and NotIn.' },
    },
    ['key', 'operator'],
  )
}

export const labelSelectorSchema: Schema = {
  ...structSchema(
    `${metaPackage}.LabelSelector`,
    'Selects objects by label. An empty selector matches all objects.',
    {
      matchLabels: { ...textMap, nullable: true, description: 'The labels that an object must have.' },
      matchExpressions: expressionsSchema,
    },
  ),
  'x-kubernetes-map-type': 'atomic',
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
}

export function validateLabelSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelectorObject,
  path: string,
): FieldError[] {
  return [
    ...Object.entries(matchLabels).flatMap(([key, value]) => [
      ...qualifiedName(key).map((problem) => invalid(`${path}.matchLabels`, key, problem)),
      ...labelValueRule(value).map((problem) => invalid(`${path}.matchLabels`, value, problem)),
    ]),
    ...matchExpressions.flatMap((each, index) =>
      validateLabelExpression(each, `${path}.matchExpressions[${index}]`),
    ),
  ]
}

/** `allowUnknownOperator`: the client of a review may know more operators than this server. */
export function validateLabelExpression(
  { key = '', operator = '', values = [] }: LabelExpression,
  path: string,
  { allowUnknownOperator = false } = {},
): FieldError[] {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      errors.push(fieldForbidden(`${path}.values`, why))
    }
  } else if (!allowUnknownOperator) {
    errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  errors.push(...qualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)))
  for (const [index, value] of values.entries()) {
    errors.push(
      ...labelValueRule(value).map((problem) => invalid(`${path}.values[${index}]`, value, problem)),
    )
  }
  return errors
}

/** The requirements of a selector that is known to be valid; without any, it selects everything. */
export function requirementsOf({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelectorObject): LabelSelector {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({
      key,
      operator: 'in' as const,
      values: [value],
    })),
    ...matchExpressions.map(({ key = '', operator = '', values = [] }) => ({
      key,
      // An unknown operator selects nothing: to match everything would grant permissions.
      operator: operators[operator] ?? ('in' as const),
      values: operators[operator] ? values : [],
    })),
  ]
}
