import {
  type ApiObject,
  blankObject,
  cloneJson,
  type FieldSet,
  fieldSetOf,
  type JsonObject,
  type ResourceDefinition,
  type Schema,
  updateManagedFields,
} from '@strata/api'
import { timestamp } from '@strata/world'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import type { WriteOptions } from './write-options.ts'

const blanks = new WeakMap<Schema, JsonObject>()

/** Sets the field managers of an object that is about to be written, in the client's version. */
export function trackFields(
  { world }: Registry,
  { definition, codec, apiVersion }: ServedResource,
  change: {
    /** In `apiVersion`; undefined for a create. */
    readonly stored: ApiObject | undefined
    readonly next: ApiObject
    /** The stored hub object, for managers that wrote in other versions. */
    readonly storedHub: ApiObject | undefined
    readonly options: WriteOptions
    readonly subresource?: string | undefined
  },
): void {
  const { stored, next, storedHub, options, subresource } = change
  const schema = codec.schemaOf(apiVersion)
  const managedFields = updateManagedFields({
    stored,
    next,
    blank: definition.typed ? blankOf(schema) : undefined,
    schema,
    apiVersion,
    manager: options.manager,
    subresource,
    time: timestamp(world.clock),
    resetFields: definition.subresources?.status && subresource !== 'status' ? status : undefined,
    inVersion: (other) => {
      if (!codec.isSpoken(other) || !storedHub) return undefined
      const after = codec.toHub(cloneJson(next), apiVersion)
      return {
        before: codec.toWire(storedHub, other),
        after: codec.toWire(after, other),
        schema: codec.schemaOf(other),
      }
    },
  })
  if (managedFields === undefined) delete next.metadata.managedFields
  else next.metadata.managedFields = managedFields
}

const status = fieldSetOf(['f:status'])

/** The fields that an endpoint ignores, and that its manager therefore does not own. */
export function resetFieldsOf(
  { subresources }: ResourceDefinition,
  subresource: string | undefined,
): { readonly resetFields?: FieldSet } {
  return subresources?.status && subresource === undefined ? { resetFields: status } : {}
}

export function blankOf(schema: Schema): JsonObject {
  let blank = blanks.get(schema)
  if (!blank) {
    blank = blankObject(schema)
    blanks.set(schema, blank)
  }
  return blank
}
