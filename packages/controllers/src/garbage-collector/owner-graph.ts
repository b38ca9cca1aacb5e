import type { ObjectMeta, OwnerReference } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'

/** An object as the collector knows it: where it is, and its metadata. */
export interface GraphNode {
  readonly uid: string
  readonly resource: DiscoveredResource
  readonly metadata: ObjectMeta
}

const orphanFinalizer = 'orphan'
const foregroundFinalizer = 'foregroundDeletion'

/** How an object that is being deleted wants its dependents treated before it goes. */
export function waitsFor({
  deletionTimestamp,
  finalizers = [],
}: ObjectMeta): 'orphans' | 'dependents' | undefined {
  if (deletionTimestamp === undefined) return undefined
  if (finalizers.includes(orphanFinalizer)) return 'orphans'
  return finalizers.includes(foregroundFinalizer) ? 'dependents' : undefined
}

/** The finalizers without the one that made the object wait. */
export function finalizersAfter(metadata: ObjectMeta): readonly string[] {
  const done = waitsFor(metadata) === 'orphans' ? orphanFinalizer : foregroundFinalizer
  return metadata.finalizers?.filter((each) => each !== done) ?? []
}

/**
 * Who owns whom, by uid, as far as the watches have told. It may lag behind, so it says where to look and never that
 * something is absent: only a deletion that was seen, or a read that found nothing, says that.
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

  /** The objects that name this one among their owners. */
  dependentsOf(uid: string): readonly GraphNode[] {
    const found: GraphNode[] = []
    for (const each of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(each)
      if (node) found.push(node)
    }
    return found
  }

  /** Takes in the newest state of an object; gives the uids that are worth a look because of it. */
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

  /** An object is gone; those it owned and those that waited for it are worth a look. */
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

  /** The owner is there, is the one that was named, and is not waiting for us to go. */
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
 * Whether a reference names this object by all its coordinates, not by its uid alone: an owner in another namespace
 * is no owner.
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
