import { jsonEqual } from '../machinery/patch/json-value.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  SelectableField,
} from './custom-resource-definition.ts'
import type { JsonSchemaProps } from './json-schema-props.ts'

/**
 * A definition as upstream's checks see it: what all versions have in common stands beside them and not in each. The
 * fields in the answers are those of this form, and people look them up: `spec.validation.openAPIV3Schema`.
 */
export interface InternalSpec extends Omit<CustomResourceDefinitionSpec, 'versions'> {
  /** The name of the first version. */
  readonly version: string
  readonly versions: readonly CustomResourceDefinitionVersion[]
  readonly validation?: { readonly openAPIV3Schema?: JsonSchemaProps }
  readonly subresources?: CustomResourceSubresources
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly SelectableField[]
}

export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const versions = spec.versions ?? []
  const [first, ...rest] = versions
  if (!first) return { ...spec, version: '', versions }
  const isCommon = (field: keyof CustomResourceDefinitionVersion): boolean =>
    rest.every((each) => jsonEqual(each[field] ?? null, first[field] ?? null))
  const schema = isCommon('schema')
  const subresources = isCommon('subresources')
  const columns = isCommon('additionalPrinterColumns')
  const selectable = isCommon('selectableFields')
  return {
    ...spec,
    version: first.name,
    ...(schema && first.schema ? { validation: first.schema } : {}),
    ...(subresources && first.subresources ? { subresources: first.subresources } : {}),
    ...(columns && first.additionalPrinterColumns
      ? { additionalPrinterColumns: first.additionalPrinterColumns }
      : {}),
    ...(selectable && first.selectableFields ? { selectableFields: first.selectableFields } : {}),
    versions: versions.map((each) => {
      const own = { ...each }
      if (schema) delete own.schema
      if (subresources) delete own.subresources
      if (columns) delete own.additionalPrinterColumns
      if (selectable) delete own.selectableFields
      return own
    }),
  }
}

/** The schemas of a definition: one for all versions, or one for each. */
export function schemasOf({ validation, versions }: InternalSpec): JsonSchemaProps[] {
  return [validation, ...versions.map(({ schema }) => schema)].flatMap((each) => each?.openAPIV3Schema ?? [])
}

/** The versions of a definition as upstream shows them: the names of Go's fields, each there and most of them empty. */
export function shownVersions({ versions }: InternalSpec): unknown[] {
  return versions.map((each) => ({
    Name: each.name,
    Served: each.served,
    Storage: each.storage,
    Deprecated: each.deprecated ?? false,
    DeprecationWarning: each.deprecationWarning ?? null,
    Schema: each.schema ? { OpenAPIV3Schema: each.schema.openAPIV3Schema ?? null } : null,
    Subresources: each.subresources
      ? { Status: each.subresources.status ?? null, Scale: each.subresources.scale ?? null }
      : null,
    AdditionalPrinterColumns: each.additionalPrinterColumns ?? null,
    SelectableFields: each.selectableFields ?? null,
  }))
}
