import { objectMetaSchema, type Schema, typeMetaProperties } from '@strata/api'
import type { Json } from './components.ts'

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'

/** The OpenAPI version of a schema. */
export interface Dialect {
  /** A reference to a named type. */
  readonly refer: (name: string, description: string) => Json
  /** v2 has no alternatives, and cannot allow fields beyond the named ones. */
  readonly isSwagger: boolean
}

/** The keywords that are published unchanged if they are not empty. All others are not part of the API. */
const plainKeywords = [
  'description',
  'type',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'nullable',
  'externalDocs',
  'example',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const

/** Values of these are data, which is published even if it is empty. */
const dataKeywords: ReadonlySet<string> = new Set(['default', 'example'])

const objectMetaName = objectMetaSchema['x-strata-type']?.name ?? ''

/** The published schema of a custom kind. If the CRD has no schema, nothing is published, not even metadata. */
export function customKindSchema(schema: Schema | Json | undefined, dialect: Dialect): Json {
  if (!schema) return { type: 'object' }
  const published = publishSchema(schema as Json, dialect)
  const own = (published['properties'] ?? {}) as Json
  return { ...published, properties: sorted({ ...own, ...typeMetaProperties, metadata: metadata(dialect) }) }
}

/** The same for lists of them. */
export function customListSchema(
  { kind, listKind, plural }: { readonly kind: string; readonly listKind: string; readonly plural: string },
  dialect: Dialect,
  item: Json,
): Json {
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: typeMetaProperties.apiVersion,
      items: {
        description: `List of ${plural}. More info: ${conventions}`,
        type: 'array',
        items: item,
      },
      kind: typeMetaProperties.kind,
      metadata: dialect.refer(
        'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
        `Standard list metadata. More info: ${conventions}#types-kinds`,
      ),
    },
  }
}

const metadata = ({ refer }: Dialect): Json => refer(objectMetaName, objectMetaSchema.description ?? '')

function publishSchema(schema: Json, dialect: Dialect): Json {
  const published: Record<string, unknown> = plainWords(schema)
  if (!dialect.isSwagger) Object.assign(published, alternatives(schema))
  const { items, properties, additionalProperties, required = [] } = schema
  if (items) published['items'] = publishSchema(items as Json, dialect)
  if (additionalProperties !== undefined) {
    const isSchema = typeof additionalProperties === 'object'
    published['additionalProperties'] = isSchema
      ? publishSchema(additionalProperties as Json, dialect)
      : additionalProperties
  }
  const fields: Record<string, Json> = {}
  for (const [name, each] of Object.entries((properties ?? {}) as Json)) {
    setField(fields, name, publishSchema(each as Json, dialect))
  }
  if (isEmbedded(schema, dialect)) {
    Object.assign(fields, embeddedFields(dialect))
    const stated = required as readonly string[]
    const missing = ['kind', 'apiVersion'].filter((each) => !stated.includes(each))
    published['required'] = [...stated, ...missing]
  }
  if (Object.keys(fields).length > 0) published['properties'] = sorted(fields)
  return published
}

/** v2 does not name fields where further ones are allowed: kubectl would refuse every field that is not named. */
function isEmbedded(schema: Json, { isSwagger }: Dialect): boolean {
  if (schema['x-kubernetes-embedded-resource'] !== true) return false
  return !isSwagger || schema['x-kubernetes-preserve-unknown-fields'] !== true
}

/** An embedded object has its own apiVersion and kind. */
function embeddedFields(dialect: Dialect): Json {
  return {
    apiVersion: {
      ...typeMetaProperties.apiVersion,
      description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    },
    kind: {
      ...typeMetaProperties.kind,
      description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    },
    metadata: metadata(dialect),
  }
}

function plainWords(schema: Json): Record<string, unknown> {
  const words: Record<string, unknown> = {}
  for (const key of plainKeywords) {
    const value = schema[key]
    if (value !== undefined && value !== null && (dataKeywords.has(key) || saysSomething(value)))
      words[key] = value
  }
  return words
}

function saysSomething(value: unknown): boolean {
  return value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
}

const numberOrText = [{ type: 'integer' }, { type: 'string' }]

/** Further conditions. int-or-string is expressed in this way, too. */
function alternatives(schema: Json): Json {
  const found: Record<string, unknown> = nested(schema)
  if (schema['x-kubernetes-int-or-string'] !== true) return found
  const { anyOf, allOf = [] } = found as { anyOf?: readonly Json[]; allOf?: readonly Json[] }
  if (isNumberOrText(anyOf) || isNumberOrText(allOf[0]?.['anyOf'])) return found
  return anyOf ? { ...found, allOf: [{ anyOf: numberOrText }, ...allOf] } : { ...found, anyOf: numberOrText }
}

function isNumberOrText(anyOf: unknown): boolean {
  return JSON.stringify(anyOf) === JSON.stringify(numberOrText)
}

function nested(schema: Json): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    const each = schema[key] as readonly Json[] | undefined
    if (each && each.length > 0) found[key] = each.map(publishNested)
  }
  if (schema['not']) found['not'] = publishNested(schema['not'] as Json)
  return found
}

/** Conditions on fields that are described elsewhere: they add no fields. */
function publishNested(schema: Json): Json {
  const published: Record<string, unknown> = { ...plainWords(schema), ...nested(schema) }
  const { items, properties = {}, additionalProperties } = schema
  if (items) published['items'] = publishNested(items as Json)
  if (additionalProperties) published['additionalProperties'] = publishNested(additionalProperties as Json)
  const fields = Object.entries(properties as Json)
  if (fields.length > 0) {
    const each = fields.map(([name, field]) => [name, publishNested(field as Json)])
    published['properties'] = sorted(Object.fromEntries(each))
  }
  return published
}

function sorted(fields: Json): Json {
  const made: Record<string, unknown> = {}
  for (const name of Object.keys(fields).sort()) setField(made, name, fields[name])
  return made
}

/** A field may be called `__proto__`, and assigning to that would change the prototype. */
function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true })
}
