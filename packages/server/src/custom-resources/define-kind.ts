import {
  type ApiObject,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  defineResource,
  deprecationOf,
  type FieldError,
  isConditionTrue,
  printerColumns,
  type ResourceDefinition,
  type Schema,
  type Strategy,
  scalePathsOf,
  selectableFieldsOf,
  storageVersionNameOf,
  type VersionSchemas,
  versionSchemas,
  versionsOf,
} from '@strata/api'
import { type Codec, type Converter, createCustomCodec } from '../codec/index.ts'
import type { ServedResource } from '../registry/index.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { withKnownFields } from './known-fields.ts'

/** The kind that a CRD defines. */
export interface CustomKind {
  readonly codec: Codec
  /** One for each served version. */
  readonly resources: readonly ServedResource[]
  /** In the stored version, served or not: for the server's own work with instances. */
  readonly stored: ServedResource | undefined
}

interface VersionParts extends VersionSchemas {
  readonly spec: CustomResourceDefinitionVersion
}

/** Turns a CRD into the parts that serve its instances. Schemas are compiled on first use. */
export function defineKind(
  crd: CustomResourceDefinition,
  converter: Converter,
  replaced: AbortSignal,
): CustomKind {
  const { spec, status } = crd
  const names = status.acceptedNames
  const keepsUnknown = spec.preserveUnknownFields === true
  const parts = new Map<string, VersionParts>(
    versionsOf(crd).map((each) => [
      `${spec.group}/${each.name}`,
      { spec: each, ...versionSchemas(each, keepsUnknown) },
    ]),
  )
  const all = [...parts.values()]
  const scale = Object.fromEntries(
    all.flatMap((each) => {
      const paths = scalePathsOf(each.spec)
      return paths ? [[each.spec.name, paths]] : []
    }),
  )
  const definition: ResourceDefinition = {
    ...defineResource<ApiObject>({
      group: spec.group,
      kind: names.kind,
      plural: names.plural,
      ...(names.singular === undefined ? {} : { singular: names.singular }),
      ...(names.shortNames ? { shortNames: names.shortNames } : {}),
      ...(names.categories ? { categories: names.categories } : {}),
      scope: spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
      isCustom: true,
      versions: Object.fromEntries(all.map((each) => [each.spec.name, identity(each.schema)])),
      preferredStorageVersion: storageVersionNameOf(crd) ?? '',
      storagePrefix: `${spec.group}/${names.plural}`,
      strategy: strategyOf(parts),
    }),
    listKind: names.listKind ?? `${names.kind}List`,
  }
  const codec = createCustomCodec({
    definition,
    storageVersionName: definition.preferredStorageVersion,
    converter,
    versions: all.map(({ spec: { name, served }, schema, structural }) => ({
      versionName: name,
      isServed: served,
      schema: withKnownFields(schema),
      structural,
    })),
  })
  const isTerminating = isConditionTrue(crd, 'Terminating') || crd.metadata.deletionTimestamp !== undefined
  const resourceOf = ({ spec: each }: VersionParts): ServedResource => {
    const { name, subresources } = each
    const apiVersion = `${spec.group}/${name}`
    return {
      definition: {
        ...definition,
        columns: printerColumns(each),
        selectableFields: selectableFieldsOf(each),
        subresources: { status: subresources?.status !== undefined, scale },
      },
      codec,
      group: spec.group,
      versionName: name,
      apiVersion,
      replaced,
      isTerminating,
      deprecation: deprecationOf(each, apiVersion, names.kind),
    }
  }
  const stored = all.find((each) => each.spec.storage)
  return {
    codec,
    resources: all.filter((each) => each.spec.served).map(resourceOf),
    stored: stored && resourceOf(stored),
  }
}

const identity = (schema: Schema) => ({
  schema,
  toHub: (object: ApiObject) => object,
  fromHub: (object: ApiObject) => object,
})

/** Upstream's rules for instances; the schema is that of the object's apiVersion, the version of the request. */
function strategyOf(parts: ReadonlyMap<string, VersionParts>): Strategy<ApiObject> {
  const of = ({ apiVersion = '' }: ApiObject): VersionParts | undefined => parts.get(apiVersion)
  const hasStatus = (object: ApiObject): boolean => of(object)?.spec.subresources?.status !== undefined
  return {
    tracksGeneration: true,
    prepareForCreate: (object) => {
      if (hasStatus(object)) delete object['status']
    },
    prepareForUpdate: (object, stored) => {
      if (!hasStatus(object)) return
      if (stored['status'] === undefined) delete object['status']
      else object['status'] = stored['status']
    },
    warnings: finalizerWarnings,
    validateCreate: (object) => findings(of(object), object, undefined),
    validateUpdate: (object, stored) => findings(of(object), object, stored),
    validateStatusUpdate: (object, stored) => of(object)?.rules.validateStatusUpdate(object, stored) ?? [],
  }
}

function findings(
  parts: VersionParts | undefined,
  object: ApiObject,
  stored: ApiObject | undefined,
): FieldError[] {
  if (!parts) return []
  const { rules } = parts
  return stored ? rules.validateUpdate(object, stored) : rules.validate(object)
}
