import { type FieldError, fieldForbidden, invalid, required } from '../machinery/field-error.ts'
import { type LabelExpression, validateLabelExpression } from '../meta/label-selector-object.ts'
import type { ApiObject, ObjectMeta } from '../meta/object.ts'
import type {
  AccessAttributes,
  ResourceAttributes,
  SelectorAttributes,
  SubjectAccessReview,
} from './access-review.ts'

/** Validates a review about the current user. */
export function validateSelfAccessReview({ spec = {}, metadata }: AccessReview): FieldError[] {
  return [
    ...validateAttributes(spec),
    ...validateSelectors(spec.resourceAttributes),
    ...validateEmptyMetadata(metadata, 'must be empty'),
  ]
}

type AccessReview = ApiObject & { readonly spec?: AccessAttributes }

/** Validates a review about another user. */
export function validateAccessReview(review: SubjectAccessReview): FieldError[] {
  return [...validateSubjectSpec(review), ...validateEmptyMetadata(review.metadata, 'must be empty')]
}

/** The same, for one namespace. */
export function validateLocalAccessReview(review: SubjectAccessReview): FieldError[] {
  const { namespace = '', ...others } = review.metadata
  const { resourceAttributes, nonResourceAttributes } = review.spec ?? {}
  const errors = [
    ...validateSubjectSpec(review),
    ...validateEmptyMetadata(others, 'must be empty except for namespace'),
  ]
  const asked = resourceAttributes?.namespace ?? ''
  if (resourceAttributes && asked !== namespace) {
    errors.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes) {
    const shown = goAttributes(nonResourceAttributes)
    errors.push(invalid('spec.nonResourceAttributes', shown, 'disallowed on this kind of request'))
  }
  return errors
}

function validateSubjectSpec({ spec = {} }: SubjectAccessReview): FieldError[] {
  const { user = '', groups = [] } = spec
  const errors = validateAttributes(spec)
  if (user === '' && groups.length === 0) {
    errors.push(invalid('spec.user', user, 'at least one of user or group must be specified'))
  }
  return [...errors, ...validateSelectors(spec.resourceAttributes)]
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: AccessAttributes): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const why = 'cannot be specified in combination with resourceAttributes'
    return [invalid('spec.nonResourceAttributes', goAttributes(nonResourceAttributes), why)]
  }
  if (resourceAttributes || nonResourceAttributes) return []
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalid('spec.resourceAttributes', null, why)]
}

/** As upstream's messages show them: by the names that its own code has for the fields. */
function goAttributes({ path = '', verb = '' }: NonNullable<AccessAttributes['nonResourceAttributes']>) {
  return { Path: path, Verb: verb }
}

function validateEmptyMetadata({ managedFields: _, ...metadata }: ObjectMeta, why: string): FieldError[] {
  return Object.keys(metadata).length === 0 ? [] : [invalid('metadata', metadata, why)]
}

function validateSelectors({ fieldSelector, labelSelector }: ResourceAttributes = {}): FieldError[] {
  const path = 'spec.resourceAttributes'
  return [
    ...validateSelector(fieldSelector, `${path}.fieldSelector`, validateFieldRequirement),
    ...validateSelector(labelSelector, `${path}.labelSelector`, (each, at) =>
      validateLabelExpression(each, at, { allowUnknownOperator: true }),
    ),
  ]
}

function validateSelector(
  selector: SelectorAttributes | undefined,
  path: string,
  validateRequirement: (requirement: LabelExpression, path: string) => FieldError[],
): FieldError[] {
  if (!selector) return []
  const { rawSelector = '', requirements = [] } = selector
  const errors: FieldError[] = []
  if (rawSelector !== '' && requirements.length > 0) {
    // Word for word upstream's.
    const why = 'may not specified at the same time as requirements'
    errors.push(invalid(`${path}.rawSelector`, rawSelector, why))
  }
  if (rawSelector === '' && requirements.length === 0) {
    const why = `when ${path} is specified, requirements or rawSelector is required`
    errors.push(required(`${path}.requirements`, why))
  }
  return [
    ...errors,
    ...requirements.flatMap((each, index) => validateRequirement(each, `${path}.requirements[${index}]`)),
  ]
}

function validateFieldRequirement(
  { key = '', operator = '', values = [] }: LabelExpression,
  path: string,
): FieldError[] {
  const errors = key === '' ? [required(`${path}.key`, 'must be specified')] : []
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    errors.push(fieldForbidden(`${path}.values`, why))
  }
  return errors
}
