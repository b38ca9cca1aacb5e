import type { JsonSchemaProps } from '@strata/api'
import { chance, integer, type Random } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { decideFields } from './decide-fields.ts'
import { numberOf, textOf } from './scalar.ts'

export interface InstanceOptions {
  readonly schema: JsonSchemaProps
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  /** The same seed gives the same instance. */
  readonly seed: string
  /** Which part of what may be left out is there, from 0 to 1. Deeper down it is less. */
  readonly share: number
  /** Fields at the top that are not made, such as a status that is written by others. */
  readonly without?: readonly string[]
  /** Fields at the top that are made, whether or not they are required. */
  readonly withFields?: readonly string[]
}

export interface Instance {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly [field: string]: unknown
}

interface Draw {
  readonly random: Random
  readonly share: number
  /** How many more optional values may be made. */
  left: number
  /** How many values may be made at all: a schema may ask for more than the memory of this process holds. */
  values: number
}

const mostOptional = 250
const mostValues = 50_000
const shrink = 0.85
const attempts = 30

/**
 * An instance that satisfies all that the schema says itself: types, required fields, bounds, patterns, alternatives. Rules
 * in CEL are not looked at: whether they hold is for the server to say.
 */
export function generateInstance(options: InstanceOptions): Instance {
  const { schema, apiVersion, kind, name, namespace, without = [], withFields = [] } = options
  const { apiVersion: _, kind: __, metadata: ___, ...others } = schema.properties ?? {}
  const properties = Object.fromEntries(Object.entries(others).filter(([field]) => !without.includes(field)))
  const own = (field: string): boolean => Object.hasOwn(properties, field)
  const required = [...(schema.required ?? []), ...withFields].filter(own)
  const draw = {
    random: createSimRandom(options.seed),
    share: options.share,
    left: mostOptional,
    values: mostValues,
  }
  const fields = objectOf({ ...schema, properties, required }, draw, 0)
  const metadata = namespace === undefined ? { name } : { name, namespace }
  return { apiVersion, kind, metadata, ...fields }
}

function drawValue(schema: JsonSchemaProps, draw: Draw, depth: number): unknown {
  const { random } = draw
  if (draw.values-- <= 0) throw new Error(`no object of more than ${mostValues} values is made up`)
  if (schema.nullable && chance(random, 0.05)) return null
  if (schema.enum) return schema.enum[integer(random, schema.enum.length)]
  if (schema['x-kubernetes-int-or-string']) {
    return chance(random, 0.5) ? numberOf(schema, true, random) : textOf({ ...schema, anyOf: [] }, random)
  }
  switch (schema.type) {
    case 'string':
      return textOf(schema, random)
    case 'integer':
      return numberOf(schema, true, random)
    case 'number':
      return numberOf(schema, false, random)
    case 'boolean':
      return chance(random, 0.5)
    case 'array':
      return listOf(schema, draw, depth)
    default:
      return objectOf(schema, draw, depth)
  }
}

function objectOf(schema: JsonSchemaProps, draw: Draw, depth: number): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema
  const { random } = draw
  const plan = decideFields(schema, schema.required ?? [], random)
  const most = Number(schema.maxProperties ?? Number.POSITIVE_INFINITY)
  const least = Number(schema.minProperties ?? 0)
  const optional = Object.keys(properties).filter(
    (field) => !plan.must.has(field) && !plan.mustNot.has(field),
  )
  const chosen = [...plan.must, ...optional.filter(() => wants(draw, depth))].slice(
    0,
    Math.max(most, plan.must.size),
  )
  for (const field of optional) if (chosen.length < least && !chosen.includes(field)) chosen.push(field)
  const made: Record<string, unknown> = isEmbedded(schema)
    ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded' } }
    : {}
  for (const field of chosen) {
    const fieldSchema = { ...properties[field], ...plan.more.get(field) }
    if (!Object.hasOwn(made, field)) made[field] = drawValue(fieldSchema, draw, depth + 1)
  }
  if (typeof additionalProperties === 'object') {
    const count = Math.max(least, hasContent(draw) ? 1 : 0) - chosen.length
    for (let index = 0; index < count; index++)
      made[`key-${index}`] = drawValue(additionalProperties, draw, depth + 1)
  }
  if (isOpen(schema) && hasContent(draw)) made['anything'] = { goes: [1, 'two', null] }
  return made
}

function listOf(schema: JsonSchemaProps, draw: Draw, depth: number): unknown[] {
  const { items = {}, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema
  const least = Number(schema.minItems ?? 0)
  const wanted = Math.max(least, hasContent(draw) ? 1 + integer(draw.random, 2) : 0)
  const count = Math.min(wanted, Number(schema.maxItems ?? wanted))
  const of = items as JsonSchemaProps
  const itemSchema =
    keys.length > 0 ? { ...of, required: [...new Set([...(of.required ?? []), ...keys])] } : of
  const made = new Map<string, unknown>()
  for (let attempt = 0; made.size < count && attempt < count + attempts; attempt++) {
    const value = drawValue(itemSchema, draw, depth + 1)
    const identity = keys.length > 0 ? keys.map((key) => (value as Record<string, unknown>)[key]) : value
    const isUnique = listType === 'map' || listType === 'set' || schema.uniqueItems === true
    made.set(isUnique ? JSON.stringify(identity) : String(attempt), value)
  }
  if (made.size < least)
    throw new Error(`found no ${least} different items for ${JSON.stringify(schema).slice(0, 300)}`)
  return [...made.values()]
}

function wants(draw: Draw, depth: number): boolean {
  if (draw.left <= 0 || !chance(draw.random, draw.share * shrink ** depth)) return false
  draw.left -= 1
  return true
}

/** A list or map that was chosen to be set is mostly not empty. */
function hasContent(draw: Draw): boolean {
  return draw.share > 0 && draw.left > 0 && chance(draw.random, 0.8)
}

function isEmbedded(schema: JsonSchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function isOpen(schema: JsonSchemaProps): boolean {
  const { properties, additionalProperties } = schema
  const isKept = schema['x-kubernetes-preserve-unknown-fields'] === true
  return isKept && properties === undefined && additionalProperties === undefined
}
