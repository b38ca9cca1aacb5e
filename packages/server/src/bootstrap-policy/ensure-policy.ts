import { ApiError, type ApiObject, type ClusterRole, cloneJson, rbacGroup } from '@strata/api'
import { deadline, jitter, sleep } from '@strata/world'
import {
  create,
  get,
  type Registry,
  remove,
  type ServedResource,
  systemWrite,
  update,
} from '../registry/index.ts'
import { decidePolicyObject, type PolicyDecision } from './decide-policy-object.ts'
import { defaultPolicy } from './default-policy.ts'

/** How many at a time: stores commit them together. */
const atOnce = 32
const attemptMs = 10_000
/** Other clients may keep changing the same objects; the server works without having the last word. */
const mostOvertaken = 30

/**
 * Ensures that the default roles and bindings exist. Every server does so when it starts. Several at once are harmless, since
 * each write is guarded by the revision that was read. Resolves when all is done, or when a retry cannot help.
 */
export async function ensurePolicy(registry: Registry, signal: AbortSignal): Promise<void> {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy()
  const isAggregated = ({ aggregationRule }: ClusterRole): boolean => aggregationRule !== undefined
  const phases = [
    [
      ...of(
        'clusterroles',
        clusterRoles.filter((each) => !isAggregated(each)),
      ),
      ...of('roles', roles),
    ],
    // After the roles that they select: until then they have no rules, and any user who may write bindings could bind them.
    of('clusterroles', clusterRoles.filter(isAggregated)),
    // Last, so that no binding is ever without its role.
    [...of('clusterrolebindings', clusterRoleBindings), ...of('rolebindings', roleBindings)],
  ]
  for (const wanted of phases) {
    let next = 0
    const work = async (): Promise<void> => {
      for (let each = wanted[next++]; each; each = wanted[next++]) {
        await ensureObject(registry, each.resource, each.object, signal)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }

  function of(name: string, objects: readonly ApiObject[]) {
    const resource = registry.api.own(rbacGroup, 'v1', name)
    return resource ? objects.map((object) => ({ resource, object })) : []
  }
}

async function ensureObject(
  registry: Registry,
  resource: ServedResource,
  expected: ApiObject,
  signal: AbortSignal,
): Promise<void> {
  const { world } = registry
  const { kind } = resource.definition
  const { name, namespace } = expected.metadata
  const warn = (message: string, error?: unknown): void =>
    world.log.warn(message, {
      kind,
      namespace,
      name,
      ...(error === undefined ? {} : { error: String(error) }),
    })
  for (let overtaken = 0; overtaken < mostOvertaken; ) {
    const limit = deadline(world.clock, attemptMs, signal)
    try {
      const stored = await look(registry, resource, expected.metadata, limit.signal)
      const decision = decidePolicyObject(expected, stored)
      const isDone = await carryOut(registry, resource, decision, { expected, stored }, limit.signal)
      // The finalizer may take hours; the next server that starts will check again.
      if (!isDone) warn('a default binding waits for the finalizers of another one of its name')
      return
    } catch (error) {
      if (signal.aborted) throw error
      if (isOvertaken(error)) overtaken++
      else {
        warn('could not write a default role or binding', error)
        // Refused for good: a retry cannot help, and the server works without it.
        if (error instanceof ApiError && error.code < 500 && error.code !== 429) return
      }
      await sleep(world.clock, jitter(world.random, 200, 0.5), signal)
    } finally {
      limit.dispose()
    }
  }
  warn('a default role or binding is being changed too often')
}

/** The cached object, with its resourceVersion: a write of a stale one is refused. */
async function look(
  registry: Registry,
  resource: ServedResource,
  { namespace = '', name = '' }: ApiObject['metadata'],
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  try {
    const { value, revision } = await get(registry, resource, { namespace, name }, 'any', signal)
    const { hub } = resource.codec.decode(value)
    hub.metadata.resourceVersion = String(revision)
    return hub
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return undefined
    throw error
  }
}

function onlyThis(stored: ApiObject | undefined): { preconditions?: { uid: string } } {
  const { uid } = stored?.metadata ?? {}
  return uid === undefined ? {} : { preconditions: { uid } }
}

/** Another server, or an administrator, was faster; the cache will show the new object. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason)
}

/** False while another object must be deleted first. */
async function carryOut(
  registry: Registry,
  resource: ServedResource,
  decision: PolicyDecision,
  { expected, stored }: { readonly expected: ApiObject; readonly stored: ApiObject | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', namespace = '' } = expected.metadata
  const target = { name, namespace }
  switch (decision.do) {
    case 'nothing':
      return true
    case 'update':
      await update(registry, resource, target, cloneJson(decision.object), systemWrite, signal)
      return true
    case 'recreate': {
      const { gone } = await remove(
        registry,
        resource,
        target,
        { dryRun: false, ...onlyThis(stored) },
        signal,
      )
      if (!gone) return false
      break
    }
    case 'create':
      break
  }
  await create(registry, resource, namespace, cloneJson(expected), systemWrite, signal)
  return true
}
