import {
  type ApiObject,
  applyDefaults,
  type CustomResourceDefinition,
  cloneJson,
  customResourceDefinitions,
  dropEmpty,
  type FieldError,
  invalidObject,
  jsonEqual,
  prune,
  versionsOf,
} from '@strata/api'

/** A CRD as the server reads it: with its defaults, and without the fields that CRDs do not have. */
function asRead(object: ApiObject): CustomResourceDefinition {
  const version = customResourceDefinitions.versions['v1']
  if (version === undefined) throw new Error('CRDs have a version v1')
  const { schema } = version
  const definition = dropEmpty(
    prune(object, schema, () => {}),
    schema,
  ) as CustomResourceDefinition
  applyDefaults(definition, schema)
  version.applyDefaults?.(definition)
  return definition
}

/** What is stored when `wanted` is applied over `live`. */
export function asApplied(
  live: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
): CustomResourceDefinition {
  const next = asRead(cloneJson(wanted))
  const { labels, annotations } = next.metadata
  next.metadata = {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...labels },
    annotations: { ...live.metadata.annotations, ...annotations },
  }
  customResourceDefinitions.strategy?.prepareForUpdate?.(next, live)
  return next
}

/** Why the server refuses the change, field by field; the same rules as a server's, which are kube-apiserver's. */
export function updateErrors(
  live: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
): readonly FieldError[] {
  return (
    customResourceDefinitions.strategy?.validateUpdate?.(asApplied(live, wanted), asRead(cloneJson(live))) ??
    []
  )
}

/** The server's message for these errors; undefined without any. */
export function refusalText(name: string, errors: readonly FieldError[]): string | undefined {
  return errors.length === 0
    ? undefined
    : invalidObject(customResourceDefinitions, name, errors).status.message
}

/** Whether applying `wanted` would change nothing. */
export function isApplied(live: CustomResourceDefinition, wanted: CustomResourceDefinition): boolean {
  const next = asApplied(live, wanted)
  const before = asRead(cloneJson(live))
  const held = (field: 'labels' | 'annotations'): boolean =>
    Object.entries(next.metadata[field] ?? {}).every(
      ([key, value]) => before.metadata[field]?.[key] === value,
    )
  return jsonEqual(next.spec, before.spec) && held('labels') && held('annotations')
}

export const versionNames = (definition: CustomResourceDefinition): readonly string[] =>
  versionsOf(definition).map(({ name }) => name)

/** What the server stored otherwise than the file says, of what decides how objects are stored. */
export function whyNotAsWanted(
  live: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
): string | undefined {
  const versionsText = (definition: CustomResourceDefinition): string =>
    versionsOf(definition)
      .map(({ name, storage }) => (storage ? `${name} (storage)` : name))
      .sort()
      .join(', ')
  const conversionText = ({ spec }: CustomResourceDefinition): string => spec.conversion?.strategy ?? 'None'
  const differs = (what: string, is: string, file: string): string | undefined =>
    is === file ? undefined : `the server stored the ${what} ${is}, and the file has ${file}`
  return (
    differs('versions', versionsText(live), versionsText(wanted)) ??
    differs('conversion strategy', conversionText(live), conversionText(wanted))
  )
}
