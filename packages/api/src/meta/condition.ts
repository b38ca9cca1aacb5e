import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../machinery/field-error.ts'
import { integer, metaPackage, structSchema, text, time } from '../machinery/field-schemas.ts'
import { qualifiedName } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'

/** Upstream's metav1.Condition: something that is so about an object, or is not. */
export interface StatusCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  /** Null if a client did not set it. */
  readonly lastTransitionTime: string | null
  readonly reason: string
  readonly message: string
}

/** The fields of a condition, by whatever name upstream has the type. `word`: the schema of its texts. */
export function conditionSchema(typeName: string, description: string, word: Schema): Schema {
  return structSchema(
    typeName,
    description,
    {
      type: { ...word, description: 'The type of the condition.' },
      status: { ...word, description: 'True, False or Unknown.' },
      observedGeneration: {
        ...integer,
        format: 'int64',
        'x-strata-omits-zero': true,
        description: 'The generation of the object that the condition was computed from.',
      },
      lastTransitionTime: { ...time, default: null, description: 'When the status last changed.' },
      reason: { ...word, description: 'A machine-readable reason, in CamelCase.' },
      message: { ...word, description: 'A human-readable explanation.' },
    },
    ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
  )
}

const condition = conditionSchema(
  `${metaPackage}.Condition`,
  'Condition contains details for one aspect of the current state of this API Resource.',
  { ...text, default: '' },
)

/** A list of them, one of each type. */
export const conditionsSchema: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'type',
  items: condition,
}

export function holdsCondition(
  conditions: readonly Pick<StatusCondition, 'type' | 'status'>[] | undefined,
  type: string,
): boolean {
  return conditions?.find((each) => each.type === type)?.status === 'True'
}

/** As Go writes them, for messages that quote them: always in this order. */
export function goConditions(conditions: readonly StatusCondition[]): readonly StatusCondition[] {
  return conditions.map(({ type, status, observedGeneration, lastTransitionTime, reason, message }) => ({
    type,
    status,
    ...(observedGeneration ? { observedGeneration } : {}),
    lastTransitionTime,
    reason,
    message,
  }))
}

const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const reasonProblem =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
const maxReasonBytes = 1_024
const maxMessageBytes = 32 * 1_024

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** Upstream's rules for conditions of every kind, in its order and words. */
export function validateConditions(conditions: readonly StatusCondition[], path: string): FieldError[] {
  const types = new Set<string>()
  return conditions.flatMap((each, index) => {
    const { type = '' } = each
    const isRepeated = types.has(type)
    types.add(type)
    const at = `${path}[${index}]`
    return [...(isRepeated ? [duplicate(at, type)] : []), ...validateCondition(each, at)]
  })
}

function validateCondition(condition: Partial<StatusCondition>, path: string): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, message = '' } = condition
  return [
    ...(type === ''
      ? [required(`${path}.type`, 'is required')]
      : qualifiedName(type).map((each) => invalid(`${path}.type`, type, each))),
    ...statusProblems(status, `${path}.status`),
    ...(observedGeneration < 0
      ? [invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')]
      : []),
    ...(lastTransitionTime ? [] : [required(`${path}.lastTransitionTime`)]),
    ...reasonProblems(condition.reason ?? '', `${path}.reason`),
    ...(byteLength(message) > maxMessageBytes ? [tooLong(`${path}.message`, maxMessageBytes)] : []),
  ]
}

function statusProblems(status: string, path: string): FieldError[] {
  if (status === '') return [required(path)]
  return ['True', 'False', 'Unknown'].includes(status)
    ? []
    : [notSupported(path, status, ['False', 'True', 'Unknown'])]
}

function reasonProblems(reason: string, path: string): FieldError[] {
  if (reason === '') return [required(path)]
  return [
    ...(reasonForm.test(reason) ? [] : [invalid(path, reason, reasonProblem)]),
    ...(byteLength(reason) > maxReasonBytes ? [tooLong(path, maxReasonBytes)] : []),
  ]
}
