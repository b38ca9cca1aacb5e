import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema } from '../machinery/identity-version.ts'
import { pathSegment } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { nullIfNone, type PolicyRule, rbacGroup, rulesSchema, validateRules } from './policy-rule.ts'

/** A set of permissions in one namespace. RoleBindings grant it. */
export interface Role extends ApiObject {
  rules?: readonly PolicyRule[] | null
}

const schema: Schema = {
  ...objectSchema({ rules: rulesSchema }),
  description: 'A set of permissions in one namespace. RoleBindings grant it.',
}

export const roles = defineResource<Role>({
  group: rbacGroup,
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  typed: true,
  versions: { v1: identityVersion<Role>(schema) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'roles',
  strategy: {
    nameRule: pathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    prepareForCreate: nullIfNone,
    prepareForUpdate: nullIfNone,
    validate: ({ rules }) => validateRules(rules, true),
  },
})
