import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion } from '../machinery/identity-version.ts'
import { pathSegment } from '../machinery/name-rules.ts'
import {
  applyBindingDefaults,
  type Binding,
  bindingSchema,
  validateBinding,
  validateBindingUpdate,
} from './binding.ts'
import { bindingColumns } from './binding-columns.ts'
import { rbacGroup } from './policy-rule.ts'

/** A kind that gives the rules of a role to subjects. */
export const defineBinding = (own: {
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding'
  readonly scope: 'Namespaced' | 'Cluster'
  /** The kinds of roles that it may name. */
  readonly roles: readonly string[]
  readonly roleRefHelp: string
}) => {
  const plural = `${own.kind.toLowerCase()}s`
  const { kind, scope, roles } = own
  return defineResource<Binding>({
    ...{ group: rbacGroup, kind, plural, scope, storagePrefix: plural, typed: true },
    versions: { v1: identityVersion<Binding>(bindingSchema, applyBindingDefaults) },
    preferredStorageVersion: 'v1',
    columns: bindingColumns(`${kind[0]?.toLowerCase()}${kind.slice(1)}`, own.roleRefHelp),
    strategy: {
      nameRule: pathSegment,
      allowUnconditionalUpdate: true,
      allowCreateOnUpdate: true,
      validate: (binding) => validateBinding(binding, roles),
      validateUpdate: validateBindingUpdate,
    },
  })
}
