import type { JsonSchemaProps } from '@strata/api'
import type { FieldPath } from '@strata/insight'

/**
 * What a change does to stored objects. `invalid`: an object may be stored that the new schema refuses. `pruned`: a field may be
 * stored that reads no longer show, and that the next write removes.
 */
export type SchemaEffect = 'invalid' | 'pruned'

/** A change of a schema that narrows what objects may hold. */
export interface SchemaChange {
  /** The field of the object: `spec.rules[*].port`; `[*]` is every item of a list, `.*` every key of a map. */
  readonly path: string
  /** One lasting word for filters: `required-added`. */
  readonly kind: string
  readonly effect: SchemaEffect
  readonly message: string
  /** The place in the new schema, or the nearest one above it. */
  readonly at: FieldPath
}

/** One value of a schema: its old and its new schema, and where it is. */
export interface SchemaPair {
  readonly before: JsonSchemaProps
  readonly after: JsonSchemaProps
  readonly path: string
  readonly at: FieldPath
}

export const changeAt = (
  { path, at }: Pick<SchemaPair, 'path' | 'at'>,
  kind: string,
  message: string,
  effect: SchemaEffect = 'invalid',
): SchemaChange => ({ path: path === '' ? '<root>' : path, kind, effect, message, at })

/** A value of a schema, short enough for a line. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none'
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
