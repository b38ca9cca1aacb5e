import { type ApiObject, type LabelSelector, matchesLabels } from '@strata/api'
import type { Hook } from './hook.ts'
import type { AdmissionRequest, AdmittedResource } from './request.ts'
import { matchesRule, type RuleFacts } from './rules.ts'

/** The same objects by way of other versions and groups. */
export type EquivalentsOf = (resource: AdmittedResource, subresource: string) => readonly AdmittedResource[]

/**
 * As which resource a webhook wants to see a request: as the one it is about, or, if no rule knows that, as the first
 * equivalent that a rule knows. Undefined if it does not care. Objects play no part in it.
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

/** A selector of objects looks at both, and what is not there is not selected. */
export function selectsObject(
  selector: LabelSelector,
  object: ApiObject | undefined,
  oldObject: ApiObject | undefined,
): boolean {
  if (selector.length === 0) return true
  return [object, oldObject].some((each) => each && matchesLabels(selector, each.metadata.labels ?? {}))
}

/**
 * Whether the namespace of a request is selected. What is in none always is; a namespace that is made or changed is
 * known by the labels it is about to have.
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
