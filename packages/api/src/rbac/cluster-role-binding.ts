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

/** Gives the rules of a cluster role in all namespaces and outside of them. */
export type ClusterRoleBinding = Binding

export const clusterRoleBindings = defineResource<ClusterRoleBinding>({
  group: rbacGroup,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  typed: true,
  versions: { v1: identityVersion<ClusterRoleBinding>(bindingSchema, applyBindingDefaults) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'clusterrolebindings',
  columns: bindingColumns(
    'clusterRoleBinding',
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
  ),
  strategy: {
    nameRule: pathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    validate: (binding) => validateBinding(binding, ['ClusterRole']),
    validateUpdate: validateBindingUpdate,
  },
})
