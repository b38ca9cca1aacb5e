import { type FieldError, invalid, required, tooLong } from '../machinery/field-error.ts'
import { labelValueRule, type NameRule, pathSegment, qualifiedName } from '../machinery/name-rules.ts'
import type { ObjectMeta, OwnerReference } from './object.ts'

/** As upstream, of all annotations together. */
const maxAnnotationBytes = 256 * 1024

/**
 * Validates an object's metadata, in upstream's order and words. The namespace is validated only if there is a rule for
 * it: the namespace of a request's object comes from the request.
 */
export function validateObjectMeta(
  metadata: ObjectMeta,
  nameRule: NameRule,
  path = 'metadata',
  namespaceRule: NameRule = () => [],
): FieldError[] {
  const { labels, annotations, finalizers, ownerReferences } = metadata
  return [
    ...validateNames(metadata, nameRule, path),
    ...namespaceRule(metadata.namespace ?? '').map((each) =>
      invalid(`${path}.namespace`, metadata.namespace, each),
    ),
    ...validateLabels(labels ?? {}, `${path}.labels`),
    ...validateAnnotations(annotations ?? {}, `${path}.annotations`),
    ...validateOwners(ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateFinalizers(finalizers ?? [], `${path}.finalizers`),
  ]
}

function validateNames({ name, generateName }: ObjectMeta, nameRule: NameRule, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (generateName) {
    // A generated name ends in letters, so the prefix may end in a dash.
    const base = generateName.replace(/-$/, 'a')
    errors.push(...nameRule(base).map((problem) => invalid(`${path}.generateName`, generateName, problem)))
  }
  if (!name) return [...errors, required(`${path}.name`, 'name or generateName is required')]
  const segment = pathSegment(name)
  const problems = segment.length > 0 ? segment : nameRule(name)
  return [...errors, ...problems.map((problem) => invalid(`${path}.name`, name, problem))]
}

function validateLabels(labels: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...qualifiedName(key).map((problem) => invalid(path, key, problem)))
    errors.push(...labelValueRule(value).map((problem) => invalid(path, value, problem)))
  }
  return errors
}

function validateAnnotations(annotations: Readonly<Record<string, string>>, path: string): FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    bytes += key.length + value.length
    // The prefix of an annotation may have capital letters; nothing else differs from a label's key.
    errors.push(...qualifiedName(key.toLowerCase()).map((problem) => invalid(path, key, problem)))
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong(path, maxAnnotationBytes))
  return errors
}

function validateOwners(owners: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = []
  let controller: OwnerReference | undefined
  // As upstream, the path has no index of the reference.
  for (const owner of owners) {
    const { apiVersion, kind } = owner
    const versionName = apiVersion?.slice(apiVersion.indexOf('/') + 1)
    if (!versionName)
      errors.push(invalid(`${path}.apiVersion`, apiVersion ?? '', 'version must not be empty'))
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (!owner[field]) errors.push(invalid(`${path}.${field}`, owner[field] ?? '', 'must not be empty'))
    }
    if (kind === 'Event' && (apiVersion === 'v1' || apiVersion === 'events.k8s.io/v1')) {
      errors.push(invalid(path, owner, `${apiVersion}, Kind=Event is disallowed from being an owner`))
    }
    if (!owner.controller) continue
    if (controller) {
      errors.push(
        invalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${kind}/${owner.name}`,
        ),
      )
    }
    controller = owner
  }
  return errors
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** A further rule for finalizers of built-in kinds, as upstream. It does not apply to CRDs and custom resources. */
export function validateQualifiedFinalizers({ finalizers }: ObjectMeta, path = 'metadata'): FieldError[] {
  return (finalizers ?? []).flatMap((name, index) =>
    qualifiedName(name).length > 0 || name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          invalid(
            `${path}.finalizers[${index}]`,
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, name] of finalizers.entries()) {
    const at = `${path}[${index}]`
    errors.push(...qualifiedName(name).map((problem) => invalid(at, name, problem)))
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
  return errors
}
