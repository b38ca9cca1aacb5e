import type { PathElement } from './path-element.ts'

/**
 * A set of paths, as a tree: `member` says whether the path that leads here is in the set. Never changed
 * once made; where an operation changes nothing it returns the very set it was given, so that "did anything
 * change" is a comparison of two references. No node below the root is empty.
 */
export interface FieldSet {
  readonly member: boolean
  readonly children: ReadonlyMap<PathElement, FieldSet>
}

export type FieldPath = readonly PathElement[]

const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map()

export const emptyFieldSet: FieldSet = { member: false, children: noChildren }
/** The path itself and nothing below it. */
export const leafFieldSet: FieldSet = { member: true, children: noChildren }

export function fieldSetNode(
  member: boolean,
  children: ReadonlyMap<PathElement, FieldSet> | undefined,
): FieldSet {
  if (children === undefined || children.size === 0) return member ? leafFieldSet : emptyFieldSet
  return { member, children }
}

/** A set holds no empty nodes, so one look at the root is enough. */
export const isFieldSetEmpty = ({ member, children }: FieldSet): boolean => !member && children.size === 0

export function fieldSetOf(...paths: readonly FieldPath[]): FieldSet {
  return paths.reduce<FieldSet>(
    (set, path) =>
      unionFieldSets(
        set,
        path.reduceRight<FieldSet>(
          (below, element) => fieldSetNode(false, new Map([[element, below]])),
          leafFieldSet,
        ),
      ),
    emptyFieldSet,
  )
}

export function fieldSetHas(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) {
    node = node.children.get(element)
    if (node === undefined) return false
  }
  return node.member
}

/** Every path of the set, a parent before what is below it. */
export function* fieldSetPaths(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  if (set.member) yield prefix
  for (const [element, child] of set.children) yield* fieldSetPaths(child, [...prefix, element])
}

export function fieldSetsEqual(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (a.member !== b.member || a.children.size !== b.children.size) return false
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (other === undefined || !fieldSetsEqual(child, other)) return false
  }
  return true
}

export function unionFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isFieldSetEmpty(b)) return a
  if (isFieldSetEmpty(a)) return b
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element)
    const both = ours === undefined ? theirs : unionFieldSets(ours, theirs)
    if (both === ours) continue
    children ??= new Map(a.children)
    children.set(element, both)
  }
  const member = a.member || b.member
  return children === undefined && member === a.member ? a : { member, children: children ?? a.children }
}

/** The paths of `a` that are not in `b`. A parent in `b` does not take what `a` has below it. */
export function fieldSetDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, fieldSetDifference)
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function fieldSetOutside(a: FieldSet, b: FieldSet): FieldSet {
  return b.member ? emptyFieldSet : subtract(a, b, fieldSetOutside)
}

function subtract(a: FieldSet, b: FieldSet, below: (a: FieldSet, b: FieldSet) => FieldSet): FieldSet {
  const member = a.member && !b.member
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element)
    if (ours === undefined) continue
    const rest = below(ours, theirs)
    if (rest === ours) continue
    children ??= new Map(a.children)
    if (isFieldSetEmpty(rest)) children.delete(element)
    else children.set(element, rest)
  }
  if (children === undefined && member === a.member) return a
  return fieldSetNode(member, children ?? a.children)
}

export function intersectFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, ours] of a.children) {
    const theirs = b.children.get(element)
    if (theirs === undefined) continue
    const both = intersectFieldSets(ours, theirs)
    if (isFieldSetEmpty(both)) continue
    children ??= new Map()
    children.set(element, both)
  }
  return fieldSetNode(a.member && b.member, children)
}
