import {
  type ApiObject,
  approvedAnnotation,
  type CustomResourceDefinition,
  type JsonSchemaProps,
  type ResourceDefinition,
  type Schema,
  storageStates,
  versionedMigrations,
} from '@strata/api'

/** The CRDs of our own kinds, which the trigger needs on clusters that do not serve them. */
export const wantedDefinitions: readonly CustomResourceDefinition[] = [
  definitionOf(storageStates, [
    { name: 'Current', type: 'string', jsonPath: '.status.currentStorageVersionHash' },
    { name: 'Persisted', type: 'string', jsonPath: '.status.persistedStorageVersionHashes' },
    { name: 'Heartbeat', type: 'date', jsonPath: '.status.lastHeartbeatTime' },
  ]),
  definitionOf(versionedMigrations, [
    { name: 'Resource', type: 'string', jsonPath: '.spec.resource.resource' },
    { name: 'Group', type: 'string', jsonPath: '.spec.resource.group' },
    { name: 'Status', type: 'string', jsonPath: '.status.conditions[?(@.status=="True")].type' },
    { name: 'Percent', type: 'integer', jsonPath: '.status.percent' },
    { name: 'Result', type: 'string', jsonPath: '.status.result' },
  ]),
]

interface Column {
  readonly name: string
  readonly type: string
  readonly jsonPath: string
}

function definitionOf<T extends ApiObject>(
  { group, resource, singular, kind, listKind, versions }: ResourceDefinition<T>,
  columns: readonly Column[],
): CustomResourceDefinition {
  const named = Object.entries(versions).map(([name, { schema }]) => ({
    ...{ name, served: true, storage: true, subresources: { status: {} } },
    schema: { openAPIV3Schema: wholeSchema(schema) },
    additionalPrinterColumns: [
      ...columns,
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  }))
  return {
    metadata: {
      name: `${resource}.${group}`,
      annotations: { [approvedAnnotation]: 'https://github.com/kubernetes/enhancements/pull/747' },
    },
    spec: {
      group,
      names: { plural: resource, singular, kind, listKind },
      scope: 'Cluster',
      versions: named,
    },
  } as Omit<CustomResourceDefinition, 'status'> as CustomResourceDefinition
}

function wholeSchema(schema: Schema): JsonSchemaProps {
  const { metadata: _, ...properties } = schema.properties ?? {}
  const plain = jsonSchema({ ...schema, properties })
  return { ...plain, properties: { ...plain.properties, metadata: { type: 'object' } } }
}

/** Without the extensions that CRDs do not know. */
function jsonSchema(schema: Schema): JsonSchemaProps {
  const { properties, items, ...rest } = schema
  const known = Object.entries(rest).filter(([field]) => !/^x-strata-|^x-kubernetes-patch-/.test(field))
  const fields = Object.entries(properties ?? {}).map(([name, each]) => [name, jsonSchema(each)])
  return {
    ...Object.fromEntries(known),
    ...(properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(items ? { items: jsonSchema(items) } : {}),
  }
}

export type DefinitionDecision =
  | { readonly do: 'create' | 'update'; readonly definition: CustomResourceDefinition }
  | { readonly do: 'nothing'; readonly because: string }
  /** An existing CRD of that name cannot be used: it has another scope, lacks the version, or has no status subresource. */
  | { readonly do: 'refuse'; readonly because: string }

/**
 * Decides what to do about a CRD. An existing CRD stays as it is, and gets the optional fields that it lacks. So other users
 * of it, for instance kube-storage-version-migrator, are not affected.
 */
export function decideDefinition(
  wanted: CustomResourceDefinition,
  found: CustomResourceDefinition | undefined,
): DefinitionDecision {
  if (!found) return { do: 'create', definition: wanted }
  const name = wanted.metadata.name ?? ''
  const [want] = wanted.spec.versions ?? []
  const has = found.spec.versions?.find((each) => each.name === want?.name)
  if (found.spec.scope !== 'Cluster') return { do: 'refuse', because: `${name} is not cluster-scoped` }
  if (!want || !has?.served) return { do: 'refuse', because: `${name} does not serve ${want?.name}` }
  if (!has.subresources?.status) {
    return {
      do: 'refuse',
      because: `${name} has no status subresource, and other clients may write its status directly`,
    }
  }
  const before = has.schema?.openAPIV3Schema
  const schema = before && want.schema?.openAPIV3Schema && withFields(before, want.schema.openAPIV3Schema)
  if (!schema || JSON.stringify(schema) === JSON.stringify(before)) {
    return { do: 'nothing', because: `${name} has all fields` }
  }
  const versions = found.spec.versions?.map((each) =>
    each === has ? { ...has, schema: { ...has.schema, openAPIV3Schema: schema } } : each,
  )
  return {
    do: 'update',
    definition: { ...found, spec: { ...found.spec, versions: versions ?? [] } },
  }
}

/** The existing schema, and the wanted fields that it lacks. */
function withFields(has: JsonSchemaProps, wants: JsonSchemaProps): JsonSchemaProps {
  if (has['x-kubernetes-preserve-unknown-fields'] || has.type !== wants.type) return has
  if (has.type === 'array') {
    const [items, wanted] = [has.items, wants.items]
    if (!items || !wanted || Array.isArray(items) || Array.isArray(wanted)) return has
    return { ...has, items: withFields(items as JsonSchemaProps, wanted as JsonSchemaProps) }
  }
  if (!wants.properties) return has
  const properties: Record<string, JsonSchemaProps> = { ...has.properties }
  for (const [name, each] of Object.entries(wants.properties)) {
    const there = properties[name]
    properties[name] = there ? withFields(there, each) : each
  }
  return { ...has, properties }
}
