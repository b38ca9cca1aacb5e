import type { ObjectMeta, OwnerReference } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'

/** An object in the graph: its resource and its metadata. */
export interface GraphNode {
  readonly uid: string
  readonly resource: DiscoveredResource
  readonly metadata: ObjectMeta
}

const orphanFinalizer = 'orphan'
const foregroundFinalizer = 'foregroundDeletion'

/** What an object that is being deleted waits for, by its finalizers. */
export function waitsFor({
  deletionTimestamp,
  finalizers = [],
}: ObjectMeta): 'orphans' | 'dependents' | undefined {
  if (deletionTimestamp === undefined) return undefined
  if (finalizers.includes(orphanFinalizer)) return 'orphans'
  return finalizers.includes(foregroundFinalizer) ? 'dependents' : undefined
}

/** The finalizers without the one that the collector has fulfilled. */
export function finalizersAfter(metadata: ObjectMeta): readonly string[] {
  const done = waitsFor(metadata) === 'orphans' ? orphanFinalizer : foregroundFinalizer
  return metadata.finalizers?.filter((each) => each !== done) ?? []
}

/**
 * The owners and dependents of all objects, by uid, from the watches. It may lag, so it only names objects to reconcile. It
 * never proves an absence: only an observed deletion, or a read that found nothing, does.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #dependents = new Map<string, Set<string>>()

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  get size(): number {
    return this.#nodes.size
  }

  /** The objects that have this one as an owner. */
  dependentsOf(uid: string): readonly GraphNode[] {
    const found: GraphNode[] = []
    for (const each of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(each)
      if (node) found.push(node)
    }
    return found
  }

  /** Stores the newest state of an object. Returns the uids to reconcile because of it. */
  put(node: GraphNode): readonly string[] {
    const before = this.#nodes.get(node.uid)
    this.#nodes.set(node.uid, node)
    this.#unlink(before)
    for (const { uid } of ownersOf(node)) {
      const siblings = this.#dependents.get(uid)
      if (siblings) siblings.add(node.uid)
      else this.#dependents.set(uid, new Set([node.uid]))
    }
    const self = waitsFor(node.metadata) || ownersOf(node).some((owner) => !this.#isCertain(node, owner))
    return [...(self ? [node.uid] : []), ...this.#waitingOwners(before), ...this.#waitingOwners(node)]
  }

  /** Removes an object. Returns its dependents and the owners that waited for it, to be reconciled. */
  remove(uid: string): readonly string[] {
    const node = this.#nodes.get(uid)
    this.#nodes.delete(uid)
    this.#unlink(node)
    return [...(this.#dependents.get(uid) ?? []), ...this.#waitingOwners(node)]
  }

  #unlink(node: GraphNode | undefined): void {
    if (!node) return
    for (const { uid } of ownersOf(node)) {
      const siblings = this.#dependents.get(uid)
      siblings?.delete(node.uid)
      if (siblings?.size === 0) this.#dependents.delete(uid)
    }
  }

  /** The owner exists, matches the reference, and does not wait for its dependents to go or to be orphaned. */
  #isCertain(node: GraphNode, owner: OwnerReference): boolean {
    const known = this.#nodes.get(owner.uid)
    return known !== undefined && isNamed(known, owner, node) && waitsFor(known.metadata) === undefined
  }

  #waitingOwners(node: GraphNode | undefined): string[] {
    return ownersOf(node)
      .map(({ uid }) => uid)
      .filter((uid) => {
        const owner = this.#nodes.get(uid)
        return owner !== undefined && waitsFor(owner.metadata) !== undefined
      })
  }
}

export function ownersOf(node: GraphNode | undefined): readonly OwnerReference[] {
  return node?.metadata.ownerReferences ?? []
}

/**
 * Whether a reference matches this object in group, kind, name and namespace, not only in uid: an object in another namespace
 * cannot be an owner.
 */
export function isNamed(owner: GraphNode, reference: OwnerReference, dependent: GraphNode): boolean {
  const { resource, metadata } = owner
  const group = reference.apiVersion.includes('/') ? reference.apiVersion.split('/')[0] : ''
  return (
    resource.kind === reference.kind &&
    resource.group === group &&
    metadata.name === reference.name &&
    (!resource.namespaced || metadata.namespace === dependent.metadata.namespace)
  )
}
