import {
  type ApiObject,
  compileStructuralSchema,
  defineResource,
  type ResourceDefinition,
  type Schema,
} from '@strata/api'
import { type Codec, createCustomCodec, renamingConverter } from '../../codec/index.ts'
import type { Entry, Key } from '../../store/index.ts'
import type { DefinitionGuard } from './definition-guard.ts'

export const gadgets = { group: 'example.org', resource: 'gadgets' }

/** The codec of a CRD with two versions, one of them stored. */
export function gadgetCodec(
  stored: 'v1' | 'v2' = 'v1',
  { plural = 'gadgets', schema = { type: 'object' } as Schema } = {},
): Codec {
  const version = { schema, toHub: (object: ApiObject) => object, fromHub: (object: ApiObject) => object }
  const definition: ResourceDefinition = defineResource<ApiObject>({
    group: gadgets.group,
    kind: 'Gadget',
    plural,
    scope: 'Namespaced',
    isCustom: true,
    versions: { v1: version, v2: version },
    preferredStorageVersion: stored,
    storagePrefix: `${gadgets.group}/${plural}`,
    strategy: {},
  })
  const structural = compileStructuralSchema(schema)
  return createCustomCodec({
    definition,
    storageVersionName: stored,
    converter: renamingConverter,
    versions: ['v1', 'v2'].map((versionName) => ({ versionName, isServed: true, schema, structural })),
  })
}

/** The guard of a CRD with these bytes: it is the same while its bytes are. */
export function definitionGuardOf(codec: Codec, key: Key, revision: number, bytes: string): DefinitionGuard {
  const isSame = ({ value }: Entry): boolean => Buffer.from(value).toString() === bytes
  return { key, revision, codec, isSame }
}
