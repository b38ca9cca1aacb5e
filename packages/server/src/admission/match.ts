import { type ApiObject, type LabelSelector, matchesLabels } from '@strata/api'
import type { Hook } from './hook.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'
import { matchesRule, type RuleFacts } from './rules.ts'

/** The same objects in other versions and groups. */
export type EquivalentsOf = (resource: AdmittedResource, subresource: string) => readonly AdmittedResource[]

/**
 * The resource as which a webhook sees a request: that of the request or, if no rule matches it and matchPolicy is Equivalent,
 * the first equivalent that a rule matches. Undefined if the webhook does not match. Objects play no part in it.
 */
export function targetFor(
  { webhook }: Hook,
  request: AdmissionRequest,
  equivalentsOf: EquivalentsOf,
): AdmittedResource | undefined {
  const { rules = [], matchPolicy } = webhook
  const { resource } = request
  const asked = factsOf(request, resource)
  if (rules.some((rule) => matchesRule(rule, asked))) return resource
  if (matchPolicy !== 'Equivalent') return undefined
  const equivalents = equivalentsOf(resource, request.subresource)
  for (const rule of rules) {
    const found = equivalents.find((each) => matchesRule(rule, factsOf(request, each)))
    if (found) return found
  }
  return undefined
}

function factsOf(
  { operation, subresource, namespace }: AdmissionRequest,
  { group, versionName, definition }: AdmittedResource,
): RuleFacts {
  return { operation, group, versionName, resource: definition.resource, subresource, namespace }
}

export type Labels = Readonly<Record<string, string>>

/** An object selector checks both objects, and one match is enough; an absent object does not match. */
export function selectsObject(
  selector: LabelSelector,
  object: ApiObject | undefined,
  oldObject: ApiObject | undefined,
): boolean {
  if (selector.length === 0) return true
  return [object, oldObject].some((each) => each && matchesLabels(selector, each.metadata.labels ?? {}))
}

/**
 * Whether the namespace of a request matches. Objects outside of namespaces always match; a namespace that is created or changed
 * is matched by its new labels.
 */
export async function selectsNamespace(
  selector: LabelSelector,
  request: AdmissionRequest,
  object: ApiObject | undefined,
  labelsOf: (namespace: string, signal: AbortSignal) => Promise<Labels>,
): Promise<boolean> {
  const { namespace, resource, subresource, operation, signal } = request
  const isNamespace = resource.definition.resource === 'namespaces'
  if ((namespace === '' && !isNamespace) || selector.length === 0) return true
  if (isNamespace && subresource === '' && operation !== 'DELETE') {
    return matchesLabels(selector, object?.metadata.labels ?? {})
  }
  return matchesLabels(selector, await labelsOf(namespace, signal))
}
