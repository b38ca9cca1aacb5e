import {
  type ApiObject,
  type FieldError,
  invalid,
  labelValueRule,
  type OwnerReference,
  pathSegment,
  qualifiedName,
  type ResourceDefinition,
  required,
  tooLong,
} from '@strata/api'

/** As upstream, of all annotations together. */
const maxAnnotationBytes = 256 * 1024

/** What is wrong with an object's metadata, in upstream's order and words. */
export function validateMetadata({ metadata }: ApiObject, definition: ResourceDefinition): FieldError[] {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata
  return [
    ...validateNames(metadata, definition),
    ...validateLabels(labels),
    ...validateAnnotations(annotations),
    ...validateOwners(ownerReferences),
    ...validateFinalizers(finalizers),
  ]
}

function validateNames(
  { name, generateName }: ApiObject['metadata'],
  { strategy }: ResourceDefinition,
): FieldError[] {
  const errors: FieldError[] = []
  if (generateName) {
    // What is generated ends in letters, so that a dash at the end of the base is no problem.
    const base = generateName.replace(/-$/, 'a')
    errors.push(
      ...strategy.nameRule(base).map((problem) => invalid('metadata.generateName', generateName, problem)),
    )
  }
  if (!name) return [...errors, required('metadata.name', 'name or generateName is required')]
  const segment = pathSegment(name)
  const problems = segment.length > 0 ? segment : strategy.nameRule(name)
  return [...errors, ...problems.map((problem) => invalid('metadata.name', name, problem))]
}

function validateLabels(labels: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...qualifiedName(key).map((problem) => invalid('metadata.labels', key, problem)))
    errors.push(...labelValueRule(value).map((problem) => invalid('metadata.labels', value, problem)))
  }
  return errors
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    bytes += key.length + value.length
    // The prefix of an annotation may have capital letters; nothing else differs from a label's key.
    errors.push(
      ...qualifiedName(key.toLowerCase()).map((problem) => invalid('metadata.annotations', key, problem)),
    )
  }
  if (bytes > maxAnnotationBytes) errors.push(tooLong('metadata.annotations', maxAnnotationBytes))
  return errors
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = []
  let controller: OwnerReference | undefined
  // Which of them it is, upstream does not say.
  const path = 'metadata.ownerReferences'
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

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, name] of finalizers.entries()) {
    const path = `metadata.finalizers[${index}]`
    const problems = qualifiedName(name)
    errors.push(...problems.map((problem) => invalid(path, name, problem)))
    if (problems.length === 0 && !name.includes('/') && !standardFinalizers.has(name)) {
      errors.push(invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'))
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalid(
        'metadata.finalizers',
        finalizers,
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    )
  }
  return errors
}
