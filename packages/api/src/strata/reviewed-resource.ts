import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { integer, structSchema, text } from '../machinery/field-schemas.ts'
import { dns1035Label, dns1123Subdomain } from '../machinery/name-rules.ts'
import { comparable } from '../machinery/patch/raw-number.ts'
import type { Schema } from '../machinery/schema.ts'

/** The resource of a review. */
export const resourceProperties = {
  group: { ...text, description: 'The group; empty for the core group.' },
  resource: { ...text, default: '', description: 'The plural name.' },
} as const satisfies Record<string, Schema>

export const count: Schema = { ...integer, format: 'int64' }

/** An object and its problem. */
export interface NamedObject {
  readonly namespace?: string
  readonly name: string
  /** As the bytes say; absent where they do not. */
  readonly encodingVersion?: string
  readonly key?: string
  readonly reason?: string
  readonly message?: string
}

const objectProperties: Readonly<Record<string, Schema>> = {
  namespace: { ...text, description: 'The namespace, if any.' },
  name: { ...text, description: 'Its name.' },
  encodingVersion: { ...text, description: 'The version of the stored bytes.' },
  key: { ...text, description: 'The encryption key, if any.' },
  reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
  message: { ...text, description: 'A human-readable explanation.' },
}

/** A bounded list of objects, each with what is the matter with it. */
export function namedObjects(description: string): Schema {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: structSchema('NamedObject', 'An object and its problem.', objectProperties),
    description,
  }
}

export function validateReviewedResource({
  group = '',
  resource = '',
}: {
  readonly group?: string
  readonly resource?: string
}): FieldError[] {
  return [
    ...(resource === ''
      ? [required('spec.resource', 'must name the resource')]
      : dns1035Label(resource).map((each) => invalid('spec.resource', resource, each))),
    ...(group === '' ? [] : dns1123Subdomain(group).map((each) => invalid('spec.group', group, each))),
  ]
}

export function boundProblems(path: string, value: number | undefined, most: number): FieldError[] {
  if (value === undefined || (comparable(value) >= 0 && comparable(value) <= most)) return []
  return [invalid(path, value, `must be between 0 and ${most}, inclusive`)]
}
