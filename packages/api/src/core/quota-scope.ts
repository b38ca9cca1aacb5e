import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { isQuotaResource } from './resource-name.ts'
import type { ResourceQuotaSpec } from './resource-quota.ts'

const podCompute = [
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
] as const

/** Each scope with the resources that it may restrict. */
const scopeResources: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['BestEffort', new Set(['pods'])],
  ['CrossNamespacePodAffinity', new Set<string>(podCompute)],
  ['NotBestEffort', new Set<string>(podCompute)],
  ['NotTerminating', new Set<string>(podCompute)],
  ['PriorityClass', new Set<string>(podCompute)],
  ['Terminating', new Set<string>(podCompute)],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
])

export const quotaScopes: readonly string[] = [...scopeResources.keys()]
export const scopeOperators = ['DoesNotExist', 'Exists', 'In', 'NotIn'] as const

/** Scopes that an object is in or not, whatever the value. */
const withoutValues: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
])

export function validateScopes(spec: ResourceQuotaSpec, path: string): FieldError[] {
  const { scopes = [] } = spec
  const errors: FieldError[] = []
  for (const scope of scopes) {
    if (!scopeResources.has(scope)) errors.push(invalid(path, scopes, 'unsupported scope'))
    errors.push(...misplaced(spec, scope).map(() => invalid(path, scopes, notOfResource)))
  }
  return [...errors, ...conflicts(scopes, path, scopes)]
}

const notOfResource = 'unsupported scope applied to resource'

export function validateScopeSelector(spec: ResourceQuotaSpec, path: string): FieldError[] {
  const errors: FieldError[] = []
  const expressions = spec.scopeSelector?.matchExpressions ?? []
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!scopeResources.has(scopeName)) {
      errors.push(invalid(`${path}.scopeName`, scopeName, 'unsupported scope'))
    }
    errors.push(
      ...misplaced(spec, scopeName).map(() => invalid(path, goSelector(expressions), notOfResource)),
    )
    if (withoutValues.has(scopeName) && operator !== 'Exists') {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
      errors.push(invalid(`${path}.operator`, operator, detail))
    }
    errors.push(...valueProblems(operator, values, path))
  }
  const names = expressions.map(({ scopeName }) => scopeName)
  return [...errors, ...conflicts(names, path, spec.scopes ?? null)]
}

function valueProblems(operator: string, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
      return values.length === 0 ? [required(`${path}.values`, detail)] : []
    }
    case 'Exists':
    case 'DoesNotExist': {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
      return values.length === 0 ? [] : [invalid(`${path}.values`, values, detail)]
    }
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')]
  }
}

/** The resources of a quota that a scope has nothing to do with. */
function misplaced({ hard = {} }: ResourceQuotaSpec, scope: string): string[] {
  const fitting = scopeResources.get(scope)
  return fitting ? Object.keys(hard).filter((name) => isQuotaResource(name) && !fitting.has(name)) : []
}

const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

function conflicts(scopes: readonly string[], path: string, shown: unknown): FieldError[] {
  return opposites
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalid(path, shown, 'conflicting scopes'))
}

/** A selector as upstream shows it in messages: by the names that Go has for its fields. */
function goSelector(
  expressions: readonly { scopeName: string; operator: string; values?: readonly string[] }[],
): unknown {
  return {
    MatchExpressions: expressions.map(({ scopeName, operator, values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  }
}
