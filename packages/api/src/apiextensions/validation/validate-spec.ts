import {
  type FieldError,
  fieldForbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain } from '../../machinery/name-rules.ts'
import { jsonEqual } from '../../machinery/patch/json-value.ts'
import type { CustomResourceDefinitionVersion } from '../custom-resource-definition.ts'
import { type InternalSpec, schemasOf, shownVersions } from '../internal-spec.ts'
import { unsupportedField } from './unsupported-field.ts'
import { type ConversionOptions, validateConversion } from './validate-conversion.ts'
import { validateNames } from './validate-names.ts'
import { type SchemaOptions, validateVersionSchema } from './validate-schema.ts'
import { validateColumn, validateSelectableFields, validateSubresources } from './validate-views.ts'
import { hasSchema } from './walk-schema.ts'

/** Which rules are checked. On update, a rule is checked only if the stored CRD meets it. */
export interface SpecOptions extends Omit<SchemaOptions, 'isUnchanged'>, ConversionOptions {
  readonly requireSchema: boolean
  readonly unchangedSchemas: ReadonlySet<string>
  /** The versions that may have too many selectable fields; '' for what all have in common. */
  readonly allowTooManySelectable: ReadonlySet<string>
}

export function validateSpec(spec: InternalSpec, given: SpecOptions, path: string): FieldError[] {
  const schemas = schemasOf(spec)
  const { preserveUnknownFields = false, versions } = spec
  const hasDefaults = schemas.some((each) => hasSchema(each, (one) => one.default !== undefined))
  const options: SpecOptions = {
    ...given,
    requireStructural:
      given.requireStructural || !preserveUnknownFields || hasDefaults || schemas.some(hasExtensions),
  }
  const shown = shownVersions(spec)
  return [
    ...groupProblems(spec.group, `${path}.group`),
    ...scopeProblems(spec.scope, `${path}.scope`),
    ...missingSchemas(spec, options, path),
    ...(hasDefaults && preserveUnknownFields
      ? [
          invalid(
            `${path}.preserveUnknownFields`,
            true,
            'must be false in order to use defaults in the schema',
          ),
        ]
      : []),
    ...versions.flatMap((each, index) => versionProblems(each, spec, options, `${path}.versions[${index}]`)),
    ...exclusions(spec, path),
    ...(new Set(versions.map(({ name }) => name)).size < versions.length
      ? [invalid(`${path}.versions`, shown, 'must contain unique version names')]
      : []),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [invalid(`${path}.versions`, shown, 'must have exactly one version marked as storage version')]),
    ...(spec.version === '' ? [] : label(spec.version, `${path}.version`)),
    ...(['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) =>
      spec.names[name] ? [] : [required(`${path}.names.${name}`)],
    ),
    ...validateNames(spec.names, `${path}.names`),
    ...commonProblems(spec, options, path),
    ...conversionProblems(spec, options, `${path}.conversion`),
  ]
}

function label(name: string, path: string): FieldError[] {
  const problems = dns1035Label(name)
  return problems.length === 0 ? [] : [invalid(path, name, problems.join(','))]
}

function groupProblems(group: string, path: string): FieldError[] {
  if (group === '') return [required(path)]
  const problems = dns1123Subdomain(group)
  if (problems.length > 0) return [invalid(path, group, problems.join(','))]
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')]
}

function scopeProblems(scope: string, path: string): FieldError[] {
  const scopes = ['Cluster', 'Namespaced']
  if (scope === '') return [required(path)]
  return scopes.includes(scope) ? [] : [notSupported(path, scope, scopes)]
}

function missingSchemas(
  { validation, versions, preserveUnknownFields }: InternalSpec,
  { requireSchema }: SpecOptions,
  path: string,
): FieldError[] {
  if (validation?.openAPIV3Schema || (!requireSchema && preserveUnknownFields)) return []
  return versions.flatMap(({ schema, served }, index) => {
    if (schema?.openAPIV3Schema || !(requireSchema || served)) return []
    const at = `${path}.versions[${index}].schema.openAPIV3Schema`
    return [requireSchema ? required(at) : required(at, 'because otherwise all fields are pruned')]
  })
}

function hasExtensions(schema: Parameters<typeof hasSchema>[0]): boolean {
  return hasSchema(
    schema,
    (each) =>
      each['x-kubernetes-embedded-resource'] === true ||
      each['x-kubernetes-preserve-unknown-fields'] !== undefined ||
      each['x-kubernetes-int-or-string'] === true ||
      each['x-kubernetes-list-map-keys'] !== undefined ||
      each['x-kubernetes-list-type'] !== undefined ||
      each['x-kubernetes-validations'] !== undefined,
  )
}

function versionProblems(
  one: CustomResourceDefinitionVersion,
  spec: InternalSpec,
  options: SpecOptions,
  path: string,
): FieldError[] {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = one
  const hasStatus = Boolean((spec.subresources ?? subresources)?.status)
  const isUnchanged = options.unchangedSchemas.has(one.name)
  const errors = [...label(one.name, `${path}.name`), ...warningProblems(one, `${path}.deprecationWarning`)]
  if (schema?.openAPIV3Schema) {
    const at = `${path}.schema`
    errors.push(...validateVersionSchema(schema.openAPIV3Schema, hasStatus, at, { ...options, isUnchanged }))
  }
  if (subresources) errors.push(...validateSubresources(subresources, `${path}.subresources`))
  for (const [index, each] of additionalPrinterColumns.entries()) {
    errors.push(...validateColumn(each, `${path}.additionalPrinterColumns[${index}]`))
  }
  if (selectableFields.length > 0) {
    // Upstream says the opposite of what it means, and says it too where the schema is that of all versions.
    const why = 'may only be set when `version.schema.openAPIV3Schema` is not included'
    errors.push(...selectableProblems(one, schema?.openAPIV3Schema, why, options, path, one.name))
  }
  return errors
}

function warningProblems(one: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const { deprecated = false, deprecationWarning: warning } = one
  if (warning === undefined) return []
  if (!deprecated) return [invalid(path, warning, 'can only be set for deprecated versions')]
  const bytes = new TextEncoder()
  const errors: FieldError[] = []
  if (bytes.encode(warning).length > 256)
    errors.push(invalid(path, warning, 'must be <= 256 characters long'))
  if (warning === '') errors.push(invalid(path, warning, 'must not be an empty string'))
  const at = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u)
  if (at >= 0) {
    const index = bytes.encode(warning.slice(0, at)).length
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`
    errors.push(invalid(path, warning, why))
  }
  return errors
}

function selectableProblems(
  { selectableFields = [] }: Pick<CustomResourceDefinitionVersion, 'selectableFields'>,
  schema: Parameters<typeof hasSchema>[0] | undefined,
  why: string,
  { allowTooManySelectable }: SpecOptions,
  path: string,
  versionName: string,
): FieldError[] {
  const at = `${path}.selectableFields`
  if (!schema) return [invalid(at, '', why)]
  const problem = unsupportedField(schema)
  if (problem !== undefined) return [invalid(`${path}.schema.openAPIV3Schema`, '', problem)]
  return validateSelectableFields(selectableFields, schema, at, allowTooManySelectable.has(versionName))
}

/** Fields that may be set for all versions, or for each, but not both. CRDs that this server has decoded set only one. */
function exclusions(spec: InternalSpec, path: string): FieldError[] {
  const { versions } = spec
  const both = [
    ['validation', 'schema', 'schemas'],
    ['subresources', 'subresources', 'subresources'],
    ['additionalPrinterColumns', 'additionalPrinterColumns', 'additionalPrinterColumns'],
  ] as const
  return both.flatMap(([common, own, words]) =>
    spec[common] !== undefined &&
    versions.some((each) => each[own] !== undefined && !jsonEqual(each[own], []))
      ? [fieldForbidden(`${path}.${common}`, `top-level and per-version ${words} are mutually exclusive`)]
      : [],
  )
}

/** What all versions have in common. */
function commonProblems(spec: InternalSpec, options: SpecOptions, path: string): FieldError[] {
  const { validation, subresources, additionalPrinterColumns = [], selectableFields = [], versions } = spec
  const errors: FieldError[] = []
  if (validation?.openAPIV3Schema) {
    const hasStatus = [subresources, ...versions.map((each) => each.subresources)].some(
      (each) => each?.status,
    )
    const isUnchanged = options.unchangedSchemas.has(spec.version)
    const at = `${path}.validation`
    errors.push(
      ...validateVersionSchema(validation.openAPIV3Schema, hasStatus, at, { ...options, isUnchanged }),
    )
  }
  if (subresources) errors.push(...validateSubresources(subresources, `${path}.subresources`))
  for (const [index, each] of additionalPrinterColumns.entries()) {
    errors.push(...validateColumn(each, `${path}.additionalPrinterColumns[${index}]`))
  }
  if (selectableFields.length > 0) {
    const why = 'may only be set when validations.schema is included'
    errors.push(...selectableProblems(spec, validation?.openAPIV3Schema, why, options, path, ''))
  }
  return errors
}

function conversionProblems(
  { conversion, preserveUnknownFields }: InternalSpec,
  options: SpecOptions,
  path: string,
): FieldError[] {
  if (!conversion) return []
  const { strategy } = conversion
  return [
    ...(strategy !== 'None' && preserveUnknownFields
      ? [invalid(`${path}.strategy`, strategy, 'must be None if spec.preserveUnknownFields is true')]
      : []),
    ...validateConversion(conversion, path, options),
  ]
}
