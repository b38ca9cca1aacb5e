import type { OwnerReference } from '@strata/api'
import { type Client, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import { type Log, severalAtOnce } from '@strata/world'
import { type Reconciler, type Settled, TerminalError } from '../engine/index.ts'
import { decideComplete } from './decide-complete.ts'
import { decideDependent, type OwnerState } from './decide-dependent.ts'
import {
  finalizersAfter,
  type GraphNode,
  isNamed,
  type OwnerGraph,
  ownersOf,
  waitsFor,
} from './owner-graph.ts'
import { RecentSet } from './recent-set.ts'
import type { ResourceWatches } from './resource-watches.ts'

export interface GarbageCollectorOptions {
  readonly client: Client
  readonly graph: OwnerGraph
  readonly watches: ResourceWatches
  readonly log: Log
}

/** After a lost race: the watch will bring the new state soon. */
const afterRaceMs = 100
/** The watch reports when dependents are gone; this is a fallback for missed events. */
const lookAgainMs = 30_000
/** No event says when kinds that were unseen are back. */
const unseenAgainMs = 3_000
const remembered = 100_000
/** How many dependents of one owner are orphaned at a time. */
const parallel = 16

/**
 * Deletes objects whose owners are gone, and keeps owners that are deleted in the foreground until their dependents are gone.
 * Keys are uids.
 *
 * Every change has the uid and resourceVersion of the state that was decided on as preconditions. Otherwise: (1) the owner is
 * deleted; (2) the collector decides to delete the dependent; (3) another owner adopts it; (4) the deletion removes it.
 */
export class GarbageCollector implements Reconciler {
  readonly #options: GarbageCollectorOptions
  /** A uid is never reused, so a proven absence stays true. */
  readonly #absent = new RecentSet(remembered)
  /**
   * Owners that were deleted with the orphan policy. Otherwise: the watch brings a dependent after its owner is gone, and the
   * collector deletes it although the user asked to keep it.
   */
  readonly #orphaners = new RecentSet(remembered)
  /** What has been logged. */
  readonly #waits = new RecentSet(10_000)

  constructor(options: GarbageCollectorOptions) {
    this.#options = options
  }

  async reconcile(uid: string, signal: AbortSignal): Promise<Settled> {
    const node = this.#options.graph.get(uid)
    if (!node) return undefined
    let settled: Settled
    const act = async (): Promise<void> => {
      settled = waitsFor(node.metadata)
        ? await this.#reconcileOwner(node, signal)
        : await this.#reconcileDependent(node, signal)
    }
    return (await ignoringRaces(node, act)) ? settled : { lookAgainMs: afterRaceMs }
  }

  #at(node: GraphNode): ResourceClient {
    return this.#options.client.metadata(node.resource)
  }

  /** Patches the state that was decided on. */
  async #patch(node: GraphNode, metadata: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = node.metadata
    await this.#at(node).patch(placeOf(node), { metadata: { uid, resourceVersion, ...metadata } }, signal)
  }

  async #detach(node: GraphNode, owners: readonly OwnerReference[], signal: AbortSignal): Promise<void> {
    const gone = new Set(owners.map(({ uid }) => uid))
    const ownerReferences = ownersOf(node).filter(({ uid }) => !gone.has(uid))
    await this.#patch(node, { ownerReferences: ownerReferences.length > 0 ? ownerReferences : null }, signal)
  }

  async #lookUp(node: GraphNode, owner: OwnerReference, signal: AbortSignal): Promise<OwnerState> {
    const { client, graph, watches } = this.#options
    const known = graph.get(owner.uid)
    if (known && isNamed(known, owner, node)) {
      return waitsFor(known.metadata) === 'dependents' ? 'waiting' : 'present'
    }
    const key = known ? `${owner.uid} ${node.metadata.namespace}/${owner.name}` : owner.uid
    if (watches.wasDeleted(owner.uid) || this.#absent.has(key)) return 'absent'
    const resource = watches.resourceOf(owner)
    if (!resource) return 'unknown'
    const { namespace } = node.metadata
    if (resource.namespaced && namespace === undefined) {
      throw new TerminalError(
        `${owner.kind} ${owner.name} is namespaced and cannot own a cluster-scoped object`,
      )
    }
    const place =
      resource.namespaced && namespace !== undefined ? { namespace, name: owner.name } : { name: owner.name }
    try {
      const { metadata } = await client.metadata(resource).get(place, signal)
      if (metadata.uid === owner.uid) return waitsFor(metadata) === 'dependents' ? 'waiting' : 'present'
    } catch (error) {
      if (!isAbsence(error, resource, owner.name)) throw error
    }
    this.#absent.add(key)
    return 'absent'
  }

  async #reconcileDependent(node: GraphNode, signal: AbortSignal): Promise<Settled> {
    const { graph, log } = this.#options
    const states = new Map<OwnerReference, OwnerState>()
    for (const owner of ownersOf(node)) states.set(owner, await this.#lookUp(node, owner, signal))
    const dependents = graph.dependentsOf(node.uid)
    const { because, ...decision } = decideDependent({
      metadata: node.metadata,
      stateOf: (owner) => states.get(owner) ?? 'unknown',
      hasDependents: dependents.length > 0,
      isInCircle: dependents.some(({ metadata }) => waitsFor(metadata) === 'dependents'),
      wasOrphanedBy: ({ uid }) => this.#orphaners.has(uid),
    })
    log.debug('owners checked', { ...describe(node), do: decision.do, because })
    switch (decision.do) {
      case 'keep':
        return undefined
      case 'look-again':
        return { lookAgainMs }
      case 'detach':
        await this.#detach(node, decision.owners, signal)
        return undefined
      case 'delete': {
        if (decision.unblock && ownersOf(node).some(({ blockOwnerDeletion }) => blockOwnerDeletion)) {
          const unblocked = ownersOf(node).map((owner) => ({ ...owner, blockOwnerDeletion: false }))
          await this.#patch(node, { ownerReferences: unblocked }, signal)
          return { lookAgainMs: afterRaceMs }
        }
        const { uid, metadata } = node
        const { resourceVersion = '' } = metadata
        const options = { preconditions: { uid, resourceVersion }, propagation: decision.propagation }
        await this.#at(node).delete(placeOf(node), options, signal)
        return undefined
      }
    }
  }

  /** Not an error: its backoff would keep the owner for another minute after the kinds are back. */
  #wait(node: GraphNode, names: readonly string[]): Settled {
    const because = `not all dependents are known yet: waiting for ${names.join(', ')}`
    const fields = { ...describe(node), do: 'wait', because }
    const key = `${node.uid} ${because}`
    if (this.#waits.has(key)) this.#options.log.debug('owner checked', fields)
    else this.#options.log.info('owner checked', fields)
    this.#waits.add(key)
    return { lookAgainMs: unseenAgainMs }
  }

  /** An owner that waits until its dependents are orphaned, or until those that block it are gone. */
  async #reconcileOwner(node: GraphNode, signal: AbortSignal): Promise<Settled> {
    const { graph, watches, log } = this.#options
    const wanted = waitsFor(node.metadata) ?? 'dependents'
    const complete = decideComplete(wanted, watches.unseen())
    if (complete.do === 'wait') return this.#wait(node, complete.for)
    const dependents = graph.dependentsOf(node.uid)
    if (wanted === 'orphans') {
      this.#orphaners.add(node.uid)
      await severalAtOnce(parallel, dependents, async (dependent) => {
        const references = ownersOf(dependent).filter(({ uid }) => uid === node.uid)
        await ignoringRaces(dependent, () => this.#detach(dependent, references, signal))
      })
      // Some may have changed meanwhile. They are reconciled again before the owner is released.
      if (graph.dependentsOf(node.uid).length > 0) return { lookAgainMs: afterRaceMs }
    } else {
      const blocking = dependents.filter((dependent) =>
        ownersOf(dependent).some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion),
      )
      if (blocking.length > 0) {
        watches.enqueue(blocking.map(({ uid }) => uid))
        return { lookAgainMs }
      }
    }
    const because = 'no dependent blocks it'
    log.debug('owner checked', { ...describe(node), do: 'release', because, unseen: complete.despite })
    await this.#patch(node, { finalizers: finalizersAfter(node.metadata) }, signal)
    return undefined
  }
}

function placeOf({ metadata: { namespace, name = '' } }: GraphNode): { namespace?: string; name: string } {
  return namespace === undefined ? { name } : { namespace, name }
}

/** False: the object has changed since it was read, or is gone. The watch will bring that. */
async function ignoringRaces(node: GraphNode, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    if (!isConflict(error) && !isAbsence(error, node.resource, node.metadata.name ?? '')) throw error
    return false
  }
}

function describe({ resource, metadata }: GraphNode): Record<string, string | undefined> {
  return { resource: resource.resource, namespace: metadata.namespace, name: metadata.name }
}
