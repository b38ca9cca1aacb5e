import type { NamedType, Schema } from '@strata/api'
import { packageOfType } from './type-names.ts'

export type Json = Readonly<Record<string, unknown>>

/** The context of a schema. */
export interface Place {
  /** The package of types that are named without one. */
  readonly typePackage: string
  /** Inside of a Go type, which has pointers and zero values, and not inside of a custom schema. */
  readonly typed: boolean
  /** Go always writes the value, even if it is zero: it is required, or an item of a list or map. */
  readonly isAlwaysThere: boolean
}

export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** The named schemas of one document; its other schemas refer to them. */
export class Components {
  readonly #schemas = new Map<string, Json>()

  /** Adds a type that nothing may refer to yet, and the types that it consists of. */
  add(name: string, schema: Schema, typed: boolean, more: Json = {}): void {
    // The name is added before its fields are visited: a type may contain itself.
    this.#schemas.set(name, {})
    const place = { typePackage: packageOfType(name), typed, isAlwaysThere: false }
    this.#schemas.set(name, { ...this.#shape(schema, place), ...more })
  }

  /** Adds a type whose schema is already published. */
  set(name: string, schema: Json): void {
    this.#schemas.set(name, schema)
  }

  /** A schema in its context: a reference if it has a name. */
  publish(schema: Schema, place: Place): Json {
    const type = schema['x-strata-type']
    return type ? this.#refer(schema, type, place) : this.#shape(schema, place)
  }

  /** By name. */
  toJson(): Json {
    const sorted = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(sorted)
  }

  #refer(schema: Schema, type: NamedType, place: Place): Json {
    const name = type.name.includes('.') ? type.name : `${place.typePackage}.${type.name}`
    if (!this.#schemas.has(name)) {
      const { description: _, default: __, 'x-strata-type': ___, ...shape } = schema
      const described = type.description === undefined ? shape : { ...shape, description: type.description }
      this.add(name, described, true)
    }
    const own = Object.entries({ ...fieldWords(schema), ...defaultOf(schema, place) })
    // Keywords beside a reference are ignored, so it is wrapped.
    return own.length === 0 ? refTo(name) : { ...Object.fromEntries(own), allOf: [refTo(name)] }
  }

  #shape(schema: Schema, place: Place): Json {
    if (schema['x-strata-or'] || schema['x-strata-raw-json']) {
      return schema.description === undefined ? {} : { description: schema.description }
    }
    const shape: Record<string, unknown> = {}
    const inner = { ...place, isAlwaysThere: place.typed }
    for (const [key, value] of Object.entries(schema)) {
      if (key.startsWith('x-strata-') || (place.typed && unsaidOfTypes.has(key))) continue
      if (schema.format === 'quantity' && (key === 'type' || key === 'format'))
        Object.assign(shape, quantityTypes)
      else if (key === 'properties') shape[key] = this.#properties(schema, place)
      else if (key === 'items' || key === 'additionalProperties') {
        shape[key] = typeof value === 'object' ? this.publish(value as Schema, inner) : value
      } else if (key !== 'default') shape[key] = value
    }
    return { ...shape, ...defaultOf(schema, place) }
  }

  #properties({ properties = {}, required = [] }: Schema, place: Place): Json {
    const fields = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      fields.map(([field, schema]) => {
        const isAlwaysThere = place.typed && required.includes(field)
        return [field, this.publish(schema, { ...place, isAlwaysThere })]
      }),
    )
  }
}

/** The types that a client may send for a quantity; the answer is always a string. */
const quantityTypes = { oneOf: [{ type: 'string' }, { type: 'number' }] }

/** Go types express these differently, or not at all. */
const unsaidOfTypes = new Set(['nullable', 'x-kubernetes-preserve-unknown-fields'])

const ofTheField = ['description', 'x-kubernetes-patch-strategy', 'x-kubernetes-patch-merge-key'] as const

/** The keywords of the field, not of its type. */
function fieldWords(schema: Schema): Json {
  const known = schema as Json
  return Object.fromEntries(
    ofTheField.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]]])),
  )
}

const zeroes: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false }

/** The default value. Go's null is not a default that a client could send. */
function defaultOf(schema: Schema, { typed, isAlwaysThere }: Place): Json {
  if (schema.default !== undefined && schema.default !== null) return { default: schema.default }
  if (!typed || schema.nullable) return {}
  if (schema.type === 'object') return schema.properties && schema['x-strata-type'] ? { default: {} } : {}
  if (!isAlwaysThere || (schema.format !== undefined && schema.type === 'string')) return {}
  const zero = zeroes[schema.type ?? '']
  return zero === undefined ? {} : { default: zero }
}
