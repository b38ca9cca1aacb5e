import { objectMetaSchema } from '@strata/api'
import { type Components, type Json, refTo } from './components.ts'
import { customKindSchema, customListSchema, type Dialect } from './custom-schema.ts'
import { customKindSwagger } from './custom-swagger-schema.ts'
import type { DescribableResource } from './describable.ts'
import { listMeta } from './meta-types.ts'
import { typePackage } from './type-names.ts'

const v3: Dialect = {
  refer: (name, description) => ({ description, allOf: [refTo(name)] }),
  isSwagger: false,
}

const definition = (name: string): Json => ({ $ref: `#/definitions/${name}` })
const v2: Dialect = { refer: (name, description) => ({ description, ...definition(name) }), isSwagger: true }

const nowhere = { typePackage: '', typed: false, isAlwaysThere: false }

/** Adds a custom kind, and the types that all of them use, to an OpenAPI v3 document. */
export function addCustomKind(components: Components, resource: DescribableResource): void {
  components.publish(objectMetaSchema, nowhere)
  components.publish(listMeta, nowhere)
  const kind = customKindSchema(schemaOf(resource), v3)
  for (const [name, schema] of withNames(resource, kind, v3, refTo)) components.set(name, schema)
}

/** The OpenAPI v2 definitions of a custom kind and its lists, by name. */
export function customDefinitions(resource: DescribableResource): ReadonlyMap<string, Json> {
  return withNames(resource, customKindSwagger(schemaOf(resource), v2), v2, definition)
}

const schemaOf = ({ definition: { versions }, versionName }: DescribableResource) =>
  versions[versionName]?.schema

function withNames(
  resource: DescribableResource,
  schema: Json,
  dialect: Dialect,
  use: (name: string) => Json,
): ReadonlyMap<string, Json> {
  const { group, versionName, definition: names } = resource
  const home = typePackage(resource)
  const { selectableFields = [] } = names
  const words = (kind: string): Json => ({
    'x-kubernetes-group-version-kind': [{ group, kind, version: versionName }],
    ...(selectableFields.length > 0
      ? { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) }
      : {}),
  })
  const list = customListSchema(names, dialect, use(`${home}.${names.kind}`))
  return new Map([
    [`${home}.${names.kind}`, { ...schema, ...words(names.kind) }],
    [`${home}.${names.listKind}`, { ...list, ...words(names.listKind) }],
  ])
}
