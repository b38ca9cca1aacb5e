import { objectMetaSchema, type Schema, typeMetaProperties } from '@strata/api'

/** Adds the fields that every object has: without them labels would have no individual owners. */
export function withKnownFields(schema: Schema): Schema {
  return asObject(withEmbedded(schema))
}

function asObject(schema: Schema): Schema {
  const { metadata: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties: { ...properties, ...typeMetaProperties, metadata: objectMetaSchema } }
}

/** The same for each embedded object. Returns the schema itself if there is none. */
function withEmbedded(schema: Schema): Schema {
  const { properties, additionalProperties, items } = schema
  let next = schema
  for (const [field, before] of Object.entries(properties ?? {})) {
    const after = belowOf(before)
    if (after !== before) next = { ...next, properties: { ...next.properties, [field]: after } }
  }
  if (typeof additionalProperties === 'object') {
    const after = belowOf(additionalProperties)
    if (after !== additionalProperties) next = { ...next, additionalProperties: after }
  }
  if (items) {
    const after = belowOf(items)
    if (after !== items) next = { ...next, items: after }
  }
  return next
}

function belowOf(schema: Schema): Schema {
  const next = withEmbedded(schema)
  return schema['x-kubernetes-embedded-resource'] ? asObject(next) : next
}
