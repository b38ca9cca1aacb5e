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
  columns: bindingColumns(
    'roleBinding',
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  strategy: {
    nameRule: pathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    validate: (binding) => validateBinding(binding, ['Role', 'ClusterRole']),
    validateUpdate: validateBindingUpdate,
  },
})
