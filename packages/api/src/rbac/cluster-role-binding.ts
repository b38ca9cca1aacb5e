import type { Binding } from './binding.ts'
import { defineBinding } from './define-binding.ts'

/** Gives the rules of a cluster role in all namespaces and outside of them. */
export type ClusterRoleBinding = Binding

export const clusterRoleBindings = defineBinding({
  ...{ kind: 'ClusterRoleBinding', scope: 'Cluster', roles: ['ClusterRole'] },
  roleRefHelp:
    'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
})
