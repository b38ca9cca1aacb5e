import { type FieldError, invalid, notSupported, required } from '../machinery/field-error.ts'
import { objectSchema, structSchema, text } from '../machinery/identity-version.ts'
import { dns1123Subdomain, pathSegment } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { rbacGroup } from './policy-rule.ts'

export interface RoleRef {
  apiGroup?: string
  kind?: string
  name?: string
}

/** A user, a group or a service account that is granted a role. */
export interface Subject {
  kind?: string
  apiGroup?: string
  name?: string
  /** The namespace of a service account. In a RoleBinding, defaults to the namespace of the binding. */
  namespace?: string
}

/** Gives the rules of one role to its subjects. */
export interface Binding extends ApiObject {
  subjects?: Subject[]
  roleRef?: RoleRef
}

const subjectSchema: Schema = {
  ...structSchema(
    'Subject',
    'A user, a group or a service account that is granted a role.',
    {
      kind: { ...text, description: 'User, Group or ServiceAccount.' },
      apiGroup: { ...text, description: 'The API group of the subject. Empty for service accounts.' },
      name: { ...text, description: 'The name of the user, the group or the service account.' },
      namespace: { ...text, description: 'The namespace of a service account.' },
    },
    ['kind', 'name'],
  ),
  'x-kubernetes-map-type': 'atomic',
}

const roleRefSchema: Schema = {
  ...structSchema(
    'RoleRef',
    'RoleRef contains information that points to the role being used',
    {
      apiGroup: { ...text, description: 'APIGroup is the group for the resource being referenced' },
      kind: { ...text, description: 'Kind is the type of resource being referenced' },
      name: { ...text, description: 'Name is the name of resource being referenced' },
    },
    ['kind', 'name'],
  ),
  'x-kubernetes-map-type': 'atomic',
}

export const bindingSchema: Schema = {
  ...objectSchema(
    {
      subjects: {
        type: 'array',
        nullable: true,
        'x-kubernetes-list-type': 'atomic',
        items: subjectSchema,
        description: 'The subjects that are granted the role.',
      },
      roleRef: {
        ...roleRefSchema,
        default: {},
        description:
          'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error. This field is immutable.',
      },
    },
    ['roleRef'],
  ),
  description: 'Grants the rules of a role to its subjects.',
}

export function applyBindingDefaults({ roleRef, subjects }: Binding): void {
  if (roleRef) roleRef.apiGroup ||= rbacGroup
  for (const subject of subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup
  }
}

/** A ClusterRoleBinding cannot name a Role, which belongs to one namespace. */
export function validateBinding(
  { roleRef = {}, subjects = [] }: Binding,
  roleKinds: readonly string[],
): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = roleRef
  const errors: FieldError[] = []
  if (apiGroup !== rbacGroup) errors.push(notSupported('roleRef.apiGroup', apiGroup, [rbacGroup]))
  if (!roleKinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, roleKinds))
  if (name === '') errors.push(required('roleRef.name'))
  else errors.push(...pathSegment(name).map((problem) => invalid('roleRef.name', name, problem)))
  const namespaced = roleKinds.includes('Role')
  return [
    ...errors,
    ...subjects.flatMap((each, index) => validateSubject(each, namespaced, `subjects[${index}]`)),
  ]
}

function validateSubject(subject: Subject, namespaced: boolean, path: string): FieldError[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject
  const errors: FieldError[] = name === '' ? [required(`${path}.name`)] : []
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        errors.push(...dns1123Subdomain(name).map((problem) => invalid(`${path}.name`, name, problem)))
      }
      if (apiGroup !== '') errors.push(notSupported(`${path}.apiGroup`, apiGroup, ['']))
      if (!namespaced && namespace === '') errors.push(required(`${path}.namespace`))
      return errors
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup]))
      return errors
    default:
      return [...errors, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  }
}

/** The role of a binding is immutable: users trust a binding to grant that role. Another role needs another binding. */
export function validateBindingUpdate({ roleRef = {} }: Binding, stored: Binding): FieldError[] {
  const before = stored.roleRef ?? {}
  const same = (['apiGroup', 'kind', 'name'] as const).every(
    (field) => (roleRef[field] ?? '') === (before[field] ?? ''),
  )
  if (same) return []
  const { apiGroup = '', kind = '', name = '' } = roleRef
  return [invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')]
}
