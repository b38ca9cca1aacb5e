import { type Compiled, compile } from '../compile.ts'
import { readJson } from '../evaluation/schema-value.ts'
import { isError } from '../evaluation/value.ts'
import { kubernetesFunctions } from '../library/index.ts'
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
  typeText,
} from '../types/cel-type.ts'
import type { Environment } from '../types/declaration.ts'
import { maxCostPerRule } from './rule-set.ts'

/** The variables of a match condition, as in an AdmissionReview. */
export interface ConditionVariables {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: unknown
}

/** The result of a condition, or the error that prevented it, and the cost. */
export type ConditionOutcome =
  | { readonly holds: boolean; readonly cost: number; readonly error?: undefined }
  | { readonly error: string; readonly cost: number }

export interface Condition {
  /** `budget`: what all conditions of one webhook may still cost; they have 2,500,000 together. */
  evaluate(variables: ConditionVariables, budget?: number): ConditionOutcome
}

const maxCostOfConditions = 2_500_000

type Fields = Readonly<Record<string, CelType>>

const STRINGS = listOf(STRING)
const LABELS = mapOf(STRING, STRING)
const types: Readonly<Record<string, Fields>> = {
  'kubernetes.GroupVersionKind': { group: STRING, version: STRING, kind: STRING },
  'kubernetes.GroupVersionResource': { group: STRING, version: STRING, resource: STRING },
  'kubernetes.UserInfo': { username: STRING, uid: STRING, groups: STRINGS, extra: mapOf(STRING, STRINGS) },
  'kubernetes.AdmissionRequest': {
    kind: struct('kubernetes.GroupVersionKind'),
    resource: struct('kubernetes.GroupVersionResource'),
    subResource: STRING,
    requestKind: struct('kubernetes.GroupVersionKind'),
    requestResource: struct('kubernetes.GroupVersionResource'),
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: struct('kubernetes.UserInfo'),
    dryRun: BOOL,
    options: DYN,
  },
  'kubernetes.NamespaceMetadata': {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: LABELS,
    annotations: LABELS,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: STRINGS,
  },
  'kubernetes.NamespaceSpec': { finalizers: STRINGS },
  'kubernetes.NamespaceCondition': {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  },
  'kubernetes.NamespaceStatus': {
    conditions: listOf(struct('kubernetes.NamespaceCondition')),
    phase: STRING,
  },
  'kubernetes.Namespace': {
    metadata: struct('kubernetes.NamespaceMetadata'),
    spec: struct('kubernetes.NamespaceSpec'),
    status: struct('kubernetes.NamespaceStatus'),
  },
}

const environment: Environment = {
  functions: kubernetesFunctions,
  variables: new Map([
    ['object', DYN],
    ['oldObject', DYN],
    ['request', struct('kubernetes.AdmissionRequest')],
    // Declared as upstream does it, and null as it is there.
    ['namespaceObject', struct('kubernetes.Namespace')],
  ]),
  structs: new Map(Object.entries(types).map(([name, fields]) => [name, new Map(Object.entries(fields))])),
}

const unsupported =
  "compilation failed: the variable 'authorizer' is not supported in conditions: this server does not ask who may do what while it evaluates them"

/** A condition of an admission webhook, or what is wrong with it. */
export function compileCondition(expression: string): Condition | { readonly problem: string } {
  const compiled = compile(expression, environment)
  if ('problems' in compiled) {
    const asksWhoMay = /undeclared reference to 'authorizer/.test(compiled.problems)
    return { problem: asksWhoMay ? unsupported : `${compiled.stage} failed: ${compiled.problems}` }
  }
  const { resultType } = compiled.checked
  if (resultType.kind !== 'bool') return { problem: `must evaluate to bool but got ${typeText(resultType)}` }
  return { evaluate: (variables, budget) => evaluate(expression, compiled, variables, budget) }
}

function evaluate(
  expression: string,
  compiled: Compiled,
  { object, oldObject, request }: ConditionVariables,
  budget = maxCostOfConditions,
): ConditionOutcome {
  const values = [readJson(object ?? null), readJson(oldObject ?? null), readJson(request ?? null), null]
  const { value, cost } = compiled.run(values, maxCostPerRule)
  if (value === undefined || cost > budget) {
    const error =
      'validation failed due to running out of cost budget, no further validation rules will be run'
    return { error, cost }
  }
  if (typeof value === 'boolean') return { holds: value, cost }
  const problem = isError(value) ? value.message : 'no such overload'
  return { error: `expression '${expression}' resulted in error: ${problem}`, cost }
}
