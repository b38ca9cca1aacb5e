import type { ObjectMeta } from '../../meta/object.ts'
import { validateObjectMeta } from '../../meta/validate-object-meta.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { dns1035Label, dns1123Label, pathSegment } from '../name-rules.ts'
import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { metadataProblem } from './embedded-metadata.ts'
import type { SchemaNode } from './schema-node.ts'

/** The errors of embedded resources (`x-kubernetes-embedded-resource`), at any depth. */
export function embeddedProblems(node: SchemaNode, value: unknown, path: string, errors: FieldError[]): void {
  if (value === null || typeof value !== 'object' || !node.below.embedded) return
  if (Array.isArray(value)) {
    const { items } = node
    if (!items) return
    for (const [index, each] of value.entries()) embeddedProblems(items, each, `${path}[${index}]`, errors)
    return
  }
  if (!isJsonObject(value)) return
  if (node.isEmbedded) errors.push(...problemsOfObject(value, path))
  for (const field in value) {
    const named = node.field(field)
    if (named) embeddedProblems(named, value[field], join(path, field), errors)
    else if (node.additional) embeddedProblems(node.additional, value[field], `${path}[${field}]`, errors)
  }
}

const join = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`)

function problemsOfObject(value: JsonObject, path: string): FieldError[] {
  return [
    ...missing(value, join(path, 'apiVersion'), 'apiVersion'),
    ...missing(value, join(path, 'kind'), 'kind'),
    ...apiVersionProblems(value, join(path, 'apiVersion')),
    ...kindProblems(value, join(path, 'kind')),
    ...metadataProblems(value, join(path, 'metadata')),
  ]
}

const missing = (value: JsonObject, path: string, field: string): FieldError[] =>
  Object.hasOwn(value, field) ? [] : [required(path)]

function apiVersionProblems({ apiVersion }: JsonObject, path: string): FieldError[] {
  if (apiVersion === undefined) return []
  if (typeof apiVersion !== 'string') return [invalid(path, apiVersion, 'must be a string')]
  if (apiVersion === '') return [invalid(path, apiVersion, 'must not be empty')]
  return apiVersion.split('/').length > 2
    ? [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : []
}

function kindProblems({ kind }: JsonObject, path: string): FieldError[] {
  if (kind === undefined) return []
  if (typeof kind !== 'string') return [invalid(path, kind, 'must be a string')]
  if (kind === '') return [invalid(path, kind, 'must not be empty')]
  const problems = dns1035Label(kind.toLowerCase())
  if (problems.length === 0) return []
  return [invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join()}`)]
}

function metadataProblems({ metadata }: JsonObject, path: string): FieldError[] {
  const problem = metadataProblem(metadata)
  if (problem !== undefined) return [invalid(path, metadata, problem)]
  if (!isJsonObject(metadata)) return []
  // A name is not asked for: what is embedded may be meant to get one later.
  const named: ObjectMeta = { ...metadata, name: (metadata['name'] as string) || 'fakename' }
  return validateObjectMeta(named, pathSegment, path, (namespace) =>
    namespace === '' ? [] : dns1123Label(namespace),
  )
}
