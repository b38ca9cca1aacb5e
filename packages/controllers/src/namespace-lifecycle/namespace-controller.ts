import type { Namespace } from '@strata/api'
import { type Client, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import { type Clock, type Log, timestamp } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { decideNamespace, type NamespaceDecision, type Sweep } from './decide-namespace.ts'
import { sweepNamespace } from './sweep.ts'

export interface NamespaceLifecycleOptions {
  readonly client: Client
  readonly namespaces: ResourceClient<Namespace>
  readonly clock: Clock
  readonly log: Log
}

/** The finalizer of this controller. */
const finalizer = 'kubernetes'
/** Other controllers remove the finalizers of objects, and no event says when. */
const lookAgainMs = 3_000
const afterRaceMs = 100

/**
 * Deletes the content of terminating namespaces, then removes the finalizer of this controller. Nothing can be created in a
 * terminating namespace (the server refuses it in the same transaction), so an empty one stays empty. Keys are names.
 */
export function createNamespaceLifecycle(options: NamespaceLifecycleOptions): Reconciler {
  const { client, namespaces, clock, log } = options

  const read = async (name: string, signal: AbortSignal): Promise<Namespace | undefined> => {
    try {
      return await namespaces.get({ name }, signal)
    } catch (error) {
      if (isAbsence(error, namespaces.address, name)) return undefined
      throw error
    }
  }

  const act = async (
    namespace: Namespace,
    decision: NamespaceDecision,
    signal: AbortSignal,
  ): Promise<Settled> => {
    if (decision.do === 'finish') {
      const finalizers = namespace.spec?.finalizers?.filter((each) => each !== finalizer) ?? []
      await namespaces.updateSubresource('finalize', { ...namespace, spec: { finalizers } }, signal)
      return undefined
    }
    if (decision.changed) {
      const status = { ...namespace.status, conditions: [...decision.conditions] }
      await namespaces.updateSubresource('status', { ...namespace, status }, signal)
    }
    return { lookAgainMs }
  }

  return {
    reconcile: async (name, signal) => {
      const namespace = await read(name, signal)
      if (!namespace || !isTerminating(namespace)) return undefined
      const sweep = await sweepNamespace(client, name, signal)
      const decision = decideNamespace(sweep, namespace.status?.conditions ?? [], timestamp(clock))
      const fields = { namespace: name, do: decision.do, because: reason(sweep) }
      // Every few seconds the same, for as long as a backend is away: the conditions tell whether anything has changed.
      if (decision.do === 'wait' && !decision.changed) log.debug('namespace checked', fields)
      else log.info('namespace checked', fields)
      try {
        return await act(namespace, decision, signal)
      } catch (error) {
        if (isAbsence(error, namespaces.address, name)) return undefined
        if (!isConflict(error)) throw error
        return { lookAgainMs: afterRaceMs }
      }
    },
  }
}

function isTerminating({ metadata, spec }: Namespace): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.finalizers?.includes(finalizer) ?? false)
}

function reason({ remains, failures, undiscovered }: Sweep): string {
  const left = remains.map(({ resource, count }) => `${count} ${resource.resource}`)
  return [...left, ...failures, ...undiscovered].join(', ') || 'it is empty'
}
