import type { Schema } from '../machinery/schema.ts'
import { compileStructuralSchema, type StructuralSchema } from '../machinery/structural/index.ts'
import type { CustomResourceDefinitionVersion } from './custom-resource-definition.ts'

/** What a version of a CRD does with its instances. */
export interface VersionSchemas {
  /** The fields that instances may have: others are pruned. */
  readonly schema: Schema
  readonly structural: StructuralSchema
  /** The validation of instances. */
  readonly rules: StructuralSchema
}

/** For a CRD from before v1 that keeps unknown fields: its schema validates, and prunes nothing. */
const everything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** Schemas are compiled on first use. */
export function versionSchemas(
  version: Pick<CustomResourceDefinitionVersion, 'schema'>,
  keepsUnknown: boolean,
): VersionSchemas {
  const schema = (version.schema?.openAPIV3Schema ?? {}) as Schema
  const rules = compileStructuralSchema(schema)
  if (!keepsUnknown) return { schema, structural: rules, rules }
  return { schema: everything, structural: compileStructuralSchema(everything), rules }
}
