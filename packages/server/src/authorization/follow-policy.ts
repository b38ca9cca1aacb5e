import {
  type Binding,
  type ClusterRole,
  clusterRoleBindings,
  clusterRoles,
  isKind,
  type ResourceDefinition,
  type Role,
  roleBindings,
  roles,
} from '@strata/api'
import type { Log } from '@strata/world'
import type { Codec } from '../codec/index.ts'
import { followObjects, type TakeObject, type WatchCache } from '../watch-cache/index.ts'
import type { Policy } from './rbac-policy.ts'

/**
 * Keeps a policy in sync with the stored roles and bindings: each is decoded when it changes, and never for a request. Like every
 * follower of the cache it may be behind for a moment.
 */
export function followPolicy(policy: Policy, cache: WatchCache, codecs: readonly Codec[], log: Log): void {
  const takeRole: TakeObject = (namespace, name, object) =>
    policy.setRole(namespace, name, object as Role | undefined)
  const takeClusterRole: TakeObject = (_, name, object) =>
    policy.setClusterRole(name, object as ClusterRole | undefined)
  const takeBinding: TakeObject = (namespace, name, object) =>
    policy.setBinding(namespace, name, object as Binding | undefined)
  const kinds: ReadonlyArray<[Pick<ResourceDefinition, 'group' | 'kind'>, TakeObject]> = [
    [roles, takeRole],
    [clusterRoles, takeClusterRole],
    [roleBindings, takeBinding],
    [clusterRoleBindings, takeBinding],
  ]
  for (const [kind, take] of kinds) {
    const codec = codecs.find(({ definition }) => isKind(definition, kind))
    if (codec) {
      followObjects(cache, codec, take, (key, error) =>
        // An unreadable role or binding grants nothing.
        log.warn('cannot read a role or binding; it grants nothing', { key, error: String(error) }),
      )
    }
  }
}
