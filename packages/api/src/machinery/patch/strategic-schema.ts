import type { Schema } from '../schema.ts'
import { cannotMerge } from './strategic-error.ts'

/** Where in an object a strategic merge patch is at work. */
export interface StrategicPlace {
  readonly schema: Schema
  /** How upstream calls the struct, for messages. */
  readonly struct: string
}

export interface StrategicField {
  /** The place of the field or, for a list, of its items. */
  readonly place: StrategicPlace
  readonly strategy: 'merge' | 'replace' | undefined
  readonly mergeKey: string | undefined
}

/** What the schema says about merging one field. */
export function strategicField({ schema, struct }: StrategicPlace, field: string): StrategicField {
  const { properties } = schema
  if (properties === undefined) {
    throw cannotMerge(
      `merging an object in json but data type is not struct, instead is: ${schema.additionalProperties ? 'map' : 'interface'}`,
    )
  }
  const own = Object.hasOwn(properties, field) ? properties[field] : undefined
  if (own === undefined) {
    throw cannotMerge(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(field)}`,
    )
  }
  const strategies = (own['x-kubernetes-patch-strategy'] ?? '').split(',')
  const capital = field.charAt(0).toUpperCase() + field.slice(1)
  return {
    place: {
      schema: own.type === 'array' ? (own.items ?? {}) : own,
      struct: field === 'metadata' ? 'ObjectMeta' : struct + capital,
    },
    // `retainKeys` is for clients, which then send the directive; the server ignores it.
    strategy: strategies.find((each) => each === 'merge' || each === 'replace'),
    mergeKey: own['x-kubernetes-patch-merge-key'],
  }
}
