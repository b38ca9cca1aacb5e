import {
  dns1123Subdomain,
  type FieldError,
  fieldErrorText,
  invalid,
  notSupported,
  required,
} from '@strata/api'
import {
  type GroupResources,
  type Level,
  levels,
  type Policy,
  type PolicyRule,
  type Stage,
  stages,
} from './audit-policy.ts'

type Fields = Readonly<Record<string, unknown>>

/** The file is not a valid policy; the message says where and why. */
export class UnusablePolicy extends Error {
  override readonly name = 'UnusablePolicy'
}

const policyFields = ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields']
const ruleFields = [
  ...['level', 'users', 'userGroups', 'verbs', 'resources', 'namespaces', 'nonResourceURLs'],
  ...['omitStages', 'omitManagedFields'],
]
const resourceFields = ['group', 'resources', 'resourceNames']

/** Parses a policy. An unknown field is an error: with a typo in `users`, a rule for one user would match all users. */
export function parsePolicy(document: unknown): Policy {
  const policy = (document ?? {}) as Fields
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new UnusablePolicy('must hold an object of kind Policy')
  }
  if (policy['apiVersion'] !== 'audit.k8s.io/v1' || policy['kind'] !== 'Policy') {
    throw new UnusablePolicy('must hold an object of kind Policy, apiVersion audit.k8s.io/v1')
  }
  const errors: FieldError[] = unknownFields(policy, policyFields, '')
  const everywhere = readStages(policy['omitStages'], 'omitStages', errors)
  const omitManagedFields = policy['omitManagedFields'] === true
  const rules = listOf(policy['rules'], 'rules', errors).map((rule, index) =>
    readRule(rule as Fields, `rules[${index}]`, { everywhere, omitManagedFields }, errors),
  )
  if (errors.length > 0) throw new UnusablePolicy(errors.map(fieldErrorText).join('; '))
  if (rules.length === 0) throw new UnusablePolicy('has no rules, so nothing would be recorded')
  return { rules }
}

function readRule(
  rule: Fields,
  path: string,
  whole: { readonly everywhere: readonly Stage[]; readonly omitManagedFields: boolean },
  errors: FieldError[],
): PolicyRule {
  errors.push(...unknownFields(rule, ruleFields, path))
  const texts = (field: string): string[] => textsOf(rule[field], `${path}.${field}`, errors)
  const { level = '', omitManagedFields } = rule
  if (level === '') errors.push(required(`${path}.level`))
  else if (!levels.includes(level as Level)) errors.push(notSupported(`${path}.level`, level, levels))
  const nonResourceURLs = texts('nonResourceURLs')
  errors.push(...nonResourceURLs.flatMap((url, index) => urlErrors(url, `${path}.nonResourceURLs[${index}]`)))
  const resources = listOf(rule['resources'], `${path}.resources`, errors).map((each) =>
    readResources(each as Fields, `${path}.resources`, errors),
  )
  const namespaces = texts('namespaces')
  if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs'
    errors.push(invalid(`${path}.nonResourceURLs`, nonResourceURLs, why))
  }
  const own = readStages(rule['omitStages'], `${path}.omitStages`, errors)
  return {
    level: level as Level,
    users: texts('users'),
    userGroups: texts('userGroups'),
    verbs: texts('verbs'),
    resources,
    namespaces,
    nonResourceURLs,
    omitStages: [...new Set([...whole.everywhere, ...own])],
    omitManagedFields: typeof omitManagedFields === 'boolean' ? omitManagedFields : whole.omitManagedFields,
  }
}

function readResources(each: Fields, path: string, errors: FieldError[]): GroupResources {
  errors.push(...unknownFields(each, resourceFields, path))
  const { group = '' } = each as { group?: string }
  if (group !== '' && group !== '*') {
    errors.push(...dns1123Subdomain(group).map((problem) => invalid(`${path}.group`, group, problem)))
  }
  const resources = textsOf(each['resources'], `${path}.resources`, errors)
  const resourceNames = textsOf(each['resourceNames'], `${path}.resourceNames`, errors)
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = 'using resourceNames requires at least one resource'
    errors.push(invalid(`${path}.resourceNames`, resourceNames, why))
  }
  return { group, resources, resourceNames }
}

function urlErrors(url: string, path: string): FieldError[] {
  if (url === '*') return []
  return [
    ...(url.startsWith('/')
      ? []
      : [invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes('*')
      ? [invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule")]
      : []),
  ]
}

function readStages(value: unknown, path: string, errors: FieldError[]): readonly Stage[] {
  const found = textsOf(value, path, errors)
  for (const [index, stage] of found.entries()) {
    if (stages.includes(stage as Stage)) continue
    errors.push(invalid(`${path}[${index}]`, stage, `allowed stages are ${stages.join(',')}`))
  }
  return found as Stage[]
}

function listOf(value: unknown, path: string, errors: FieldError[]): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)) return value
  errors.push(invalid(path, value, 'must be a list of objects'))
  return []
}

function textsOf(value: unknown, path: string, errors: FieldError[]): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  errors.push(invalid(path, value, 'must be a list of strings'))
  return []
}

function unknownFields(object: Fields, known: readonly string[], path: string): FieldError[] {
  return Object.keys(object)
    .filter((field) => !known.includes(field))
    .map((field) => invalid(path === '' ? field : `${path}.${field}`, field, 'unknown field'))
}
