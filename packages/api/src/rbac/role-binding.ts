import type { Binding } from './binding.ts'
import { defineBinding } from './define-binding.ts'

/** Gives the rules of a role, or of a cluster role, in one namespace. */
export type RoleBinding = Binding

export const roleBindings = defineBinding({
  ...{ kind: 'RoleBinding', scope: 'Namespaced', roles: ['Role', 'ClusterRole'] },
  roleRefHelp:
    'RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
})
