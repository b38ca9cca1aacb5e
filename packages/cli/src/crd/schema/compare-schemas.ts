import type { JsonSchemaProps } from '@strata/api'
import { compareLimits } from './compare-limits.ts'
import { compareRules } from './compare-rules.ts'
import { compareTypes, sharesType } from './compare-types.ts'
import { changeAt, type SchemaChange, type SchemaPair } from './schema-change.ts'

/** Which changes of a schema make stored objects invalid, or prune their fields. Changes that only allow more are none. */
export function compareSchemas(before: JsonSchemaProps, after: JsonSchemaProps): readonly SchemaChange[] {
  return compareValue({ before, after, path: '', at: [] }, true)
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function compareValue(pair: SchemaPair, isObject = false): SchemaChange[] {
  const types = compareTypes(pair)
  if (!sharesType(pair)) return types
  return [
    ...types,
    ...compareLimits(pair),
    ...compareRules(pair),
    ...requiredChange(pair, isObject),
    ...pruningChange(pair),
    ...propertyChanges(pair, isObject),
    ...mapChange(pair),
    ...itemChange(pair),
  ]
}

/** A field with a default is filled in before it is missed. */
function requiredChange(pair: SchemaPair, isObject: boolean): SchemaChange[] {
  const { before, after, path, at } = pair
  const known = new Set(before.required ?? [])
  return (after.required ?? [])
    .filter((name) => !known.has(name) && !(isObject && metaFields.has(name)))
    .filter((name) => after.properties?.[name]?.default === undefined)
    .map((name) =>
      changeAt(
        { path: fieldBelow(path, name), at: [...at, 'required'] },
        'required-added',
        'it is required now',
      ),
    )
}

const keepsUnknown = (schema: JsonSchemaProps): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true
const takesAny = ({ additionalProperties }: JsonSchemaProps): boolean =>
  additionalProperties !== undefined && additionalProperties !== false

function pruningChange(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  if (!keepsUnknown(before) || keepsUnknown(after) || takesAny(after)) return []
  const message = 'unknown fields were kept, and are pruned now'
  return [changeAt(pair, 'preserve-unknown-fields-removed', message, 'pruned')]
}

function propertyChanges(pair: SchemaPair, isObject: boolean): SchemaChange[] {
  const { before, after, path, at } = pair
  return Object.entries(before.properties ?? {}).flatMap(([name, was]) => {
    if (isObject && metaFields.has(name)) return []
    const below = fieldBelow(path, name)
    const now = after.properties?.[name]
    if (now) return compareValue({ before: was, after: now, path: below, at: [...at, 'properties', name] })
    const additional = schemaOf(after.additionalProperties)
    if (additional) {
      return compareValue({
        before: was,
        after: additional,
        path: below,
        at: [...at, 'additionalProperties'],
      })
    }
    if (keepsUnknown(after) || takesAny(after)) return []
    const place = { path: below, at: [...at, 'properties'] }
    return [changeAt(place, 'property-removed', 'the schema does not have it any more', 'pruned')]
  })
}

/** Keys that have no property of their own. */
function mapChange(pair: SchemaPair): SchemaChange[] {
  const { before, after, path, at } = pair
  if (!takesAny(before) || before.additionalProperties === undefined) return []
  if (takesAny(after)) {
    const was = schemaOf(before.additionalProperties)
    const now = schemaOf(after.additionalProperties)
    if (!was || !now) return []
    return compareValue({ before: was, after: now, path: `${path}.*`, at: [...at, 'additionalProperties'] })
  }
  if (keepsUnknown(after)) return []
  const message = 'any key was kept, and keys without a property of their own are pruned now'
  return [changeAt(pair, 'additional-properties-removed', message, 'pruned')]
}

const schemaOf = (value: JsonSchemaProps | boolean | undefined): JsonSchemaProps | undefined =>
  typeof value === 'object' ? value : undefined

function itemChange({ before, after, path, at }: SchemaPair): SchemaChange[] {
  const was = itemsOf(before)
  const now = itemsOf(after)
  if (!was || !now) return []
  return compareValue({ before: was, after: now, path: `${path}[*]`, at: [...at, 'items'] })
}

/** A structural schema has one schema for all items. */
const itemsOf = ({ items }: JsonSchemaProps): JsonSchemaProps | undefined =>
  items === undefined || Array.isArray(items) ? undefined : (items as JsonSchemaProps)

const fieldBelow = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
