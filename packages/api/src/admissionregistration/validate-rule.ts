import { type FieldError, invalid, notSupported, required } from '../machinery/field-error.ts'
import type { WebhookRule } from './webhook.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']

export function validateWebhookRule(rule: WebhookRule, path: string): FieldError[] {
  return [
    ...validateStarred(rule.operations, `${path}.operations`, 'operations'),
    ...(rule.operations ?? []).flatMap((each, index) =>
      operations.includes(each) ? [] : [notSupported(`${path}.operations[${index}]`, each, operations)],
    ),
    ...validateStarred(rule.apiGroups, `${path}.apiGroups`, 'API groups'),
    ...validateStarred(rule.apiVersions, `${path}.apiVersions`, 'API versions'),
    ...(rule.apiVersions ?? []).flatMap((each, index) =>
      each === '' ? [required(`${path}.apiVersions[${index}]`)] : [],
    ),
    ...validateResources(rule.resources ?? [], `${path}.resources`),
    ...(rule.scope === undefined || scopes.includes(rule.scope)
      ? []
      : [notSupported(`${path}.scope`, rule.scope, scopes)]),
  ]
}

/** A star says everything; nothing else may stand beside it. */
function validateStarred(values: readonly string[] = [], path: string, what: string): FieldError[] {
  if (values.length === 0) return [required(path)]
  if (values.length === 1 || !values.includes('*')) return []
  return [invalid(path, values, `if '*' is present, must not specify other ${what}`)]
}

function validateResources(resources: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [required(path)] : []
  const allBelow = new Set<string>()
  const allAbove = new Set<string>()
  // As upstream has it, the last one without a subresource decides.
  let hasPlain = false
  for (const [index, each] of resources.entries()) {
    const at = `${path}[${index}]`
    if (each === '') {
      errors.push(required(at))
      continue
    }
    const slash = each.indexOf('/')
    if (slash < 0) {
      hasPlain = each !== '*'
      continue
    }
    const [resource, below] = [each.slice(0, slash), each.slice(slash + 1)]
    if (allBelow.has(resource)) {
      errors.push(invalid(at, each, `if '${resource}/*' is present, must not specify ${each}`))
    }
    if (allAbove.has(below)) {
      errors.push(invalid(at, each, `if '*/${below}' is present, must not specify ${each}`))
    }
    if (below === '*') allBelow.add(resource)
    if (resource === '*') allAbove.add(below)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (resources.includes('*') && hasPlain) {
    const why = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalid(path, resources, why))
  }
  return errors
}
