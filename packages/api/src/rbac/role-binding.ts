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
import { rbacGroup } from './policy-rule.ts'

/** Gives the rules of a role, or of a cluster role, in one namespace. */
export type RoleBinding = Binding

export const roleBindings = defineResource<RoleBinding>({
  group: rbacGroup,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  typed: true,
  versions: { v1: identityVersion<RoleBinding>(bindingSchema, applyBindingDefaults) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'rolebindings',
  strategy: {
    nameRule: pathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    validate: (binding) => validateBinding(binding, ['Role', 'ClusterRole']),
    validateUpdate: validateBindingUpdate,
  },
})
