import { type FieldError, fieldForbidden, invalid, required } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/patch/json-value.ts'
import { isEstablished } from '../conditions.ts'
import {
  approvedAnnotation,
  type CustomResourceDefinition,
  versionsOf,
} from '../custom-resource-definition.ts'
import { type InternalSpec, internalSpec, schemasOf } from '../internal-spec.ts'
import { approvalOf, isProtectedGroup } from './api-approval.ts'
import { hasInvalidCaBundle, hasKnownReview } from './validate-conversion.ts'
import { nonAtomicItems, validateKeys } from './validate-list-types.ts'
import { validateNames } from './validate-names.ts'
import { isUnknownType } from './validate-open-api.ts'
import { hasUnprunedDefaults } from './validate-schema.ts'
import { type SpecOptions, validateSpec } from './validate-spec.ts'
import { isStructural } from './validate-structural.ts'
import { maxSelectableFields } from './validate-views.ts'
import { hasSchema } from './walk-schema.ts'

const strict: SpecOptions = {
  requireStructural: true,
  requirePrunedDefaults: true,
  requireKnownTypes: true,
  requireAtomicSets: true,
  requireKeys: true,
  requireKnownReview: true,
  requireSchema: true,
  // A CRD that is not established yet can still be repaired.
  allowInvalidCaBundle: true,
  unchangedSchemas: new Set(),
  allowTooManySelectable: new Set(),
}

export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { metadata, spec } = definition
  const { name = '' } = metadata
  return [
    ...(name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateSpec(internalSpec(spec), strict, 'spec'),
    ...validateDefinitionStatus(definition),
    ...storedVersionProblems(definition),
    ...approvalProblems(definition),
    ...reservedGroupProblems(definition),
    ...preserveProblems(definition),
  ]
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition,
): FieldError[] {
  return [
    ...changedSpecProblems(definition, stored),
    ...immutableProblems(definition, stored),
    ...validateDefinitionStatus(definition),
    ...storedVersionProblems(definition),
    ...approvalProblems(definition, stored),
    ...preserveProblems(definition, stored),
  ]
}

/** The rules that the stored CRD breaks are computed only if the new one has errors: schemas are large. */
function changedSpecProblems(
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition,
): FieldError[] {
  if (jsonEqual(definition.spec, stored.spec)) return []
  const spec = internalSpec(definition.spec)
  const unchanged = unchangedSchemas(definition, stored)
  const all = { ...strict, allowInvalidCaBundle: false, unchangedSchemas: unchanged }
  if (validateSpec(spec, all, 'spec').length === 0) return []
  return validateSpec(spec, notTightened(definition, stored), 'spec')
}

/** Validates a status write. Like upstream, it checks neither that a storage version is named nor that the versions exist. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): FieldError[] {
  return validateNames(status.acceptedNames, 'status.acceptedNames')
}

/** A value that was accepted before, perhaps by an older server, does not make another change invalid. */
function notTightened(definition: CustomResourceDefinition, stored: CustomResourceDefinition): SpecOptions {
  const before = internalSpec(stored.spec)
  const schemas = schemasOf(before)
  const { conversion } = stored.spec
  const never = (isSuch: Parameters<typeof hasSchema>[1]): boolean =>
    !schemas.some((each) => hasSchema(each, isSuch))
  return {
    requireStructural: schemas.every(isStructural),
    requirePrunedDefaults: !schemas.some(hasUnprunedDefaults),
    requireKnownTypes: never(isUnknownType),
    requireAtomicSets: never((each) => nonAtomicItems(each, '').length > 0),
    requireKeys: never((each) => validateKeys(each, '').length > 0),
    requireKnownReview: hasKnownReview(conversion),
    requireSchema: versionsOf(stored).every(({ schema }) => schema?.openAPIV3Schema),
    allowInvalidCaBundle: !isEstablished(stored) || hasInvalidCaBundle(conversion),
    unchangedSchemas: unchangedSchemas(definition, stored),
    allowTooManySelectable: tooManyBefore(internalSpec(definition.spec), before),
  }
}

function unchangedSchemas(
  definition: CustomResourceDefinition,
  stored: CustomResourceDefinition,
): ReadonlySet<string> {
  const same = versionsOf(definition).filter(({ name, schema }) => {
    const before = versionsOf(stored).find((each) => each.name === name)
    return before !== undefined && jsonEqual(schema ?? null, before.schema ?? null)
  })
  return new Set(same.map(({ name }) => name))
}

function tooManyBefore(spec: InternalSpec, before: InternalSpec): ReadonlySet<string> {
  const isTolerated = (
    { selectableFields }: Pick<InternalSpec, 'selectableFields'>,
    old: Pick<InternalSpec, 'selectableFields'> | undefined,
  ): boolean =>
    (old?.selectableFields?.length ?? 0) > maxSelectableFields &&
    jsonEqual(selectableFields, old?.selectableFields)
  const names = spec.versions.flatMap((each) => {
    const old = before.versions.findLast(({ name }) => name === each.name)
    return isTolerated(each, old) ? [each.name] : []
  })
  return new Set(isTolerated(spec, before) ? [...names, ''] : names)
}

function immutableProblems(
  { spec }: CustomResourceDefinition,
  stored: CustomResourceDefinition,
): FieldError[] {
  const before = stored.spec
  const check = (path: string, value: string, old: string): FieldError[] =>
    value === old ? [] : [invalid(`spec.${path}`, value, 'field is immutable')]
  return [
    // Custom resources are stored under these.
    ...(isEstablished(stored)
      ? [
          ...check('scope', spec.scope, before.scope),
          ...check('names.kind', spec.names.kind, before.names.kind),
        ]
      : []),
    ...check('group', spec.group, before.group),
    ...check('names.plural', spec.names.plural, before.names.plural),
  ]
}

/** Custom resources may be stored in each of these versions, so the spec must keep each to decode them. */
function storedVersionProblems(definition: CustomResourceDefinition): FieldError[] {
  const path = 'status.storedVersions'
  const { storedVersions } = definition.status
  if (!storedVersions?.length) {
    return [invalid(path, storedVersions ?? null, 'must have at least one stored version')]
  }
  const versions = versionsOf(definition)
  const unrecorded = versions.filter(({ name, storage }) => storage && !storedVersions.includes(name))
  const gone = storedVersions
    .map((name, index) => ({ name, index: storedVersions.lastIndexOf(name), isLast: index }))
    .filter(({ name, index, isLast }) => index === isLast && !versions.some((each) => each.name === name))
  return [
    ...unrecorded.map(({ name }) => invalid(path, storedVersions, `must have the storage version ${name}`)),
    ...gone.map(({ name, index }) =>
      invalid(
        `${path}[${index}]`,
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    ),
  ]
}

/** The server's own kinds and records are there. A CRD that is stored already is left alone: it has to be deletable. */
function reservedGroupProblems({ spec: { group } }: CustomResourceDefinition): FieldError[] {
  if (group !== 'strata.dev' && !group.endsWith('.strata.dev')) return []
  const why = 'strata.dev and its subgroups are reserved for the server; use a group in a domain that you own'
  return [fieldForbidden('spec.group', why)]
}

function approvalProblems(
  { metadata, spec }: CustomResourceDefinition,
  stored?: CustomResourceDefinition,
): FieldError[] {
  if (!isProtectedGroup(spec.group)) return []
  const { state, reason } = approvalOf(metadata.annotations)
  if (stored && approvalOf(stored.metadata.annotations).state === state) return []
  const path = `metadata.annotations[${approvedAnnotation}]`
  if (state === 'missing') return [required(path, reason)]
  return state === 'invalid' ? [invalid(path, metadata.annotations?.[approvedAnnotation], reason)] : []
}

function preserveProblems(
  { spec }: CustomResourceDefinition,
  stored?: CustomResourceDefinition,
): FieldError[] {
  if (!spec.preserveUnknownFields || stored?.spec.preserveUnknownFields) return []
  const why =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, why)]
}
