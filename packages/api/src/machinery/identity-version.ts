import type { ApiObject } from '../meta/object.ts'
import { objectMetaSchema, typeMetaProperties } from '../meta/object-meta-schema.ts'
import type { VersionDefinition } from './define-resource.ts'
import type { Schema } from './schema.ts'

/** A version that has the shape of the hub. */
export function identityVersion<Hub extends ApiObject>(
  schema: Schema,
  applyDefaults?: (object: Hub) => void,
): VersionDefinition<Hub, Hub> {
  const same = (object: Hub): Hub => object
  return { schema, toHub: same, fromHub: same, ...(applyDefaults ? { applyDefaults } : {}) }
}

export {
  boolean,
  integer,
  microTime,
  quantity,
  structSchema,
  text,
  textList,
  textMap,
  time,
} from './field-schemas.ts'

/** The schema of a whole object, from the schemas of what is special about it. */
export function objectSchema(
  properties: Readonly<Record<string, Schema>>,
  required?: readonly string[],
): Schema {
  return {
    type: 'object',
    properties: { ...typeMetaProperties, metadata: objectMetaSchema, ...properties },
    ...(required ? { required } : {}),
  }
}
