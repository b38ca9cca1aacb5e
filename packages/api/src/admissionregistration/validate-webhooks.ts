import { compileCondition } from '../machinery/cel/index.ts'
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain, qualifiedName } from '../machinery/name-rules.ts'
import { jsonEqual } from '../machinery/patch/json-value.ts'
import { validateWebhookClientConfig } from '../machinery/webhook-client-config.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../meta/label-selector-object.ts'
import { validateWebhookRule } from './validate-rule.ts'
import type { AdmissionWebhook, MatchCondition, WebhookConfiguration } from './webhook.ts'

/** The versions of AdmissionReview that a server sends. */
const reviewVersions = ['v1', 'v1beta1']
const noSideEffects = ['None', 'NoneOnDryRun']
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown']
const maxConditions = 64

/** Which rules are checked. On update, a rule is checked only if the stored configuration meets it. */
interface Strictness {
  readonly noSideEffects: boolean
  readonly knownReviewVersions: boolean
  readonly uniqueNames: boolean
  readonly labelValues: boolean
  readonly conditions: boolean
}

const all: Strictness = {
  noSideEffects: true,
  knownReviewVersions: true,
  uniqueNames: true,
  labelValues: true,
  conditions: true,
}

export function validateWebhooks(configuration: WebhookConfiguration): FieldError[] {
  return validateAll(configuration.webhooks ?? [], all)
}

/** A value that an older release accepted stays valid on update. */
export function validateWebhooksUpdate(
  { webhooks = [] }: WebhookConfiguration,
  { webhooks: stored = [] }: WebhookConfiguration,
): FieldError[] {
  const names = stored.map(({ name }) => name)
  return validateAll(webhooks, {
    noSideEffects: stored.every((each) => noSideEffects.includes(each.sideEffects ?? '')),
    knownReviewVersions: stored.every(
      ({ admissionReviewVersions: known }) =>
        !known?.length || known.some((each) => reviewVersions.includes(each)),
    ),
    uniqueNames: new Set(names).size === names.length,
    labelValues: stored.every((each) =>
      [each.namespaceSelector, each.objectSelector].every(
        (selector) => selectorErrors(selector, '').length === 0,
      ),
    ),
    conditions: !(
      webhooks.length === stored.length &&
      webhooks.every((each, index) =>
        jsonEqual(each.matchConditions ?? [], stored[index]?.matchConditions ?? []),
      )
    ),
  })
}

function validateAll(webhooks: readonly AdmissionWebhook[], strict: Strictness): FieldError[] {
  const names = new Set<string>()
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`
    const { name = '' } = webhook
    const known = webhook.admissionReviewVersions ?? []
    const repeated = strict.uniqueNames && name !== '' && names.has(name)
    names.add(name)
    return [
      ...validateWebhook(webhook, path, strict),
      ...validateReviewVersions(known, `${path}.admissionReviewVersions`, strict),
      ...(repeated ? [duplicate(`${path}.name`, name)] : []),
    ]
  })
}

function validateWebhook(webhook: AdmissionWebhook, path: string, strict: Strictness): FieldError[] {
  const { name = '', rules = [], timeoutSeconds, clientConfig = {}, matchConditions = [] } = webhook
  const oneOf = (field: 'failurePolicy' | 'matchPolicy' | 'reinvocationPolicy', known: readonly string[]) => {
    const value = webhook[field]
    return value === undefined || known.includes(value)
      ? []
      : [notSupported(`${path}.${field}`, value, known)]
  }
  const selector = (field: 'namespaceSelector' | 'objectSelector') =>
    selectorErrors(webhook[field], `${path}.${field}`).filter(
      // Older releases did not validate label values: an object that has an invalid one keeps it.
      (each) => strict.labelValues || !/\.(?:values\[\d+\]|matchLabels)$/.test(each.path),
    )
  return [
    ...validateName(name, `${path}.name`),
    ...rules.flatMap((rule, index) => validateWebhookRule(rule, `${path}.rules[${index}]`)),
    ...oneOf('failurePolicy', ['Fail', 'Ignore']),
    ...oneOf('matchPolicy', ['Equivalent', 'Exact']),
    ...validateSideEffects(webhook, `${path}.sideEffects`, strict),
    ...(timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)
      ? [
          invalid(
            `${path}.timeoutSeconds`,
            timeoutSeconds,
            'the timeout value must be between 1 and 30 seconds',
          ),
        ]
      : []),
    ...selector('namespaceSelector'),
    ...selector('objectSelector'),
    ...oneOf('reinvocationPolicy', ['IfNeeded', 'Never']),
    ...validateWebhookClientConfig(clientConfig, `${path}.clientConfig`, { isAdmission: true }),
    ...(strict.conditions ? validateConditions(matchConditions, `${path}.matchConditions`) : []),
  ]
}

function validateName(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)]
  const problems = dns1123Subdomain(name)
  if (problems.length > 0) return [invalid(path, name, problems.join(','))]
  if (name.split('.').length >= 3) return []
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')]
}

function validateSideEffects(
  { sideEffects: effects }: AdmissionWebhook,
  path: string,
  strict: Strictness,
): FieldError[] {
  const allowed = strict.noSideEffects ? noSideEffects : sideEffects
  if (effects === undefined) return [required(path, `must specify one of ${allowed.join(', ')}`)]
  return allowed.includes(effects) ? [] : [notSupported(path, effects, allowed)]
}

const selectorErrors = (selector: LabelSelectorObject | undefined, path: string): FieldError[] =>
  selector ? validateLabelSelector(selector, path) : []

function validateReviewVersions(known: readonly string[], path: string, strict: Strictness): FieldError[] {
  const supported = reviewVersions.join(', ')
  if (known.length === 0) return [required(path, `must specify one of ${supported}`)]
  const errors = known.flatMap((each, index) =>
    known.indexOf(each) < index
      ? [invalid(`${path}[${index}]`, each, 'duplicate version')]
      : dns1035Label(each).map((problem) => invalid(`${path}[${index}]`, each, problem)),
  )
  if (strict.knownReviewVersions && !known.some((each) => reviewVersions.includes(each))) {
    errors.push(invalid(path, known, `must include at least one of ${supported}`))
  }
  return errors
}

function validateConditions(conditions: readonly MatchCondition[], path: string): FieldError[] {
  const names = conditions.map(({ name }) => name)
  return [
    ...(conditions.length > maxConditions ? [tooMany(path, conditions.length, maxConditions)] : []),
    ...conditions.flatMap(({ name = '', expression = '' }, index) => {
      const at = `${path}[${index}]`
      return [
        ...validateExpression(expression.trim(), `${at}.expression`),
        ...(name === ''
          ? [required(`${at}.name`)]
          : qualifiedName(name).map((problem) => invalid(`${at}.name`, name, problem))),
        ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${at}.name`, name)] : []),
      ]
    }),
  ]
}

function validateExpression(expression: string, path: string): FieldError[] {
  if (expression === '') return [required(path)]
  const condition = compileCondition(expression)
  return 'problem' in condition ? [invalid(path, expression, condition.problem)] : []
}
