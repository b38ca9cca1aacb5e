import {
  type Binding,
  clusterRoleBindings,
  clusterRoles,
  isKind,
  type PolicyRule,
  type ResourceDefinition,
  roleBindings,
  roles,
} from '@strata/api'
import type { Log } from '@strata/world'
import { type Codec, resourcePrefix } from '../codec/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { Policy } from './policy.ts'

/** Takes what a stored object says into the policy, or takes it out. */
type Take = (namespace: string, name: string, object: unknown) => void

/**
 * Keeps a policy like the stored roles and bindings: each is decoded when it changes, and never for a request. Like
 * everything that follows the cache it may be behind for a moment.
 */
export function followPolicy(policy: Policy, cache: WatchCache, codecs: readonly Codec[], log: Log): void {
  const takeRole: Take = (namespace, name, object) => {
    const role = object as { rules?: readonly PolicyRule[] | null } | undefined
    policy.setRole(namespace, name, role && (role.rules ?? []))
  }
  const takeBinding: Take = (namespace, name, object) =>
    policy.setBinding(namespace, name, object as Binding | undefined)
  const kinds: ReadonlyArray<[Pick<ResourceDefinition, 'group' | 'kind'>, Take]> = [
    [roles, takeRole],
    [clusterRoles, takeRole],
    [roleBindings, takeBinding],
    [clusterRoleBindings, takeBinding],
  ]
  for (const [kind, take] of kinds) {
    const codec = codecs.find(({ definition }) => isKind(definition, kind))
    if (codec) follow(cache, codec, take, log)
  }
}

function follow(cache: WatchCache, codec: Codec, take: Take, log: Log): void {
  const { definition } = codec
  const prefix = resourcePrefix(definition)
  const collection = cache.collection(prefix)
  const known = new Set<string>()

  const set = (key: string, value: Uint8Array): void => {
    const [namespace, name] = placeOf(definition, key.slice(prefix.length))
    known.add(key)
    try {
      take(namespace, name, codec.decode(value).hub)
    } catch (error) {
      // What cannot be read gives no rights.
      take(namespace, name, undefined)
      log.warn('a role or binding cannot be read and gives no rights', { key, error: String(error) })
    }
  }
  const forget = (key: string): void => {
    known.delete(key)
    take(...placeOf(definition, key.slice(prefix.length)), undefined)
  }
  const readAll = (): void => {
    for (const key of [...known]) if (!collection.get(key)) forget(key)
    const all = collection.range(prefix)
    for (let index = 0; index < all.count; index++) {
      const { key, value } = all.at(index)
      set(key, value)
    }
    subscribe()
  }
  const subscribe = (): void => {
    collection.subscribe({
      onEvent: ({ kind, key, value }) => (kind === 'deleted' ? forget(key) : set(key, value)),
      onReset: readAll,
    })
  }
  readAll()
}

function placeOf({ scope }: ResourceDefinition, rest: string): [namespace: string, name: string] {
  if (scope === 'Cluster') return ['', rest]
  const slash = rest.indexOf('/')
  return [rest.slice(0, slash), rest.slice(slash + 1)]
}
