import {
  type ApiObject,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  defineResource,
  objectMetaSchema,
  prune,
  type ResourceDefinition,
  type Schema,
  type Strategy,
  scalePathsOf,
  storageVersionNameOf,
  typeMetaProperties,
  versionsOf,
} from '@strata/api'
import { customTranscripts } from './custom-transcripts.ts'
import { notes } from './notes.ts'

function defined(crd: CustomResourceDefinition): ResourceDefinition {
  const { group, names, scope } = crd.spec
  const versions = versionsOf(crd)
  const stored = storageVersionNameOf(crd) ?? ''
  return defineResource<ApiObject>({
    ...{ group, kind: names.kind, plural: names.plural },
    ...(names.singular === undefined ? {} : { singular: names.singular }),
    ...(names.shortNames ? { shortNames: names.shortNames } : {}),
    ...(names.categories ? { categories: names.categories } : {}),
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    versions: Object.fromEntries(
      versions.map((each) => [
        each.name,
        { ...whatClientsSee(each), ...versionOf(withMetadata(schemaOf(each))) },
      ]),
    ),
    preferredStorageVersion: stored,
    storagePrefix: `${group}/${names.plural}`,
    subresources: {
      status: true,
      scale: Object.fromEntries(
        versions.flatMap((each) => {
          const paths = scalePathsOf(each)
          return paths ? [[each.name, paths]] : []
        }),
      ),
    },
    strategy,
  })
}

const whatClientsSee = ({
  additionalPrinterColumns,
  deprecated,
  deprecationWarning,
}: CustomResourceDefinitionVersion) => ({
  ...(additionalPrinterColumns ? { additionalPrinterColumns } : {}),
  ...(deprecated ? { deprecated } : {}),
  ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
})

const schemaOf = (version: CustomResourceDefinitionVersion): Schema =>
  (version.schema?.openAPIV3Schema ?? {}) as Schema

const withMetadata = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...typeMetaProperties, metadata: objectMetaSchema, ...schema.properties },
})

/** Without conversion, as the CRDs have it: a version lacks the fields that only another one has. */
const versionOf = (schema: Schema) => ({
  schema,
  toHub: (object: ApiObject) => object,
  fromHub: (object: ApiObject) => prune(object, schema, () => {}) as ApiObject,
})

/** The status is written by itself, as the CRDs have it. */
const strategy: Strategy<ApiObject> = {
  tracksGeneration: true,
  prepareForCreate: (object: ApiObject) => {
    delete object['status']
  },
  prepareForUpdate: (object: ApiObject, stored: ApiObject) => {
    if (stored['status'] === undefined) delete object['status']
    else object['status'] = stored['status']
  },
}

/** What `strata serve --aggregated --resources` loads: the kinds of the transcripts' CRDs, defined in a program. */
export const resources: readonly ResourceDefinition[] = customTranscripts
  .flatMap(({ definitions }) => definitions)
  .map(defined)
  .concat(notes)
