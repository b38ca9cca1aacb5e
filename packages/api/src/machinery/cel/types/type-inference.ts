import { type CelType, DYN, isDyn, isDynOrError, sameType } from './cel-type.ts'

/** The substitution so far: the name of each type variable with its type. */
export type Substitutions = ReadonlyMap<string, CelType>
type Open = Map<string, CelType>

/** The substitutions under which `from` may stand where `to` is wanted, or undefined if there are none. */
export function assign(known: Substitutions, from: CelType, to: CelType): Substitutions | undefined {
  if (!isOpen(from) && !isOpen(to)) return isAssignable(new Map(), from, to) ? known : undefined
  const open: Open = new Map(known)
  return isAssignable(open, from, to) ? open : undefined
}

export function assignAll(
  known: Substitutions,
  from: readonly CelType[],
  to: readonly CelType[],
): Substitutions | undefined {
  // Most types are known, and nothing has to be copied to compare those.
  if (!from.some(isOpen) && !to.some(isOpen)) return allAssignable(new Map(), from, to) ? known : undefined
  const open: Open = new Map(known)
  return allAssignable(open, from, to) ? open : undefined
}

const isOpen = ({ kind, parameters }: CelType): boolean => kind === 'param' || parameters.some(isOpen)

function isAssignable(open: Open, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const tried = substitutable(open, a, b)
    if (tried.isValid) return true
    if (tried.isKnown) return false
  }
  if (a.kind === 'param') return substitutable(open, b, a).isValid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return isNullable(b)
  if (b.kind === 'null') return isNullable(a)
  switch (a.kind) {
    case 'type':
      return b.kind === 'type'
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && allAssignable(open, a.parameters, b.parameters)
    default:
      return sameType(a, b)
  }
}

const isNullable = ({ kind }: CelType): boolean =>
  kind === 'null' || kind === 'opaque' || kind === 'struct' || kind === 'duration' || kind === 'timestamp'

function allAssignable(open: Open, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((each, index) => isAssignable(open, each, b[index] ?? DYN))
}

/** Whether `type` can be what the free type stands for; if so, that is now known. */
function substitutable(open: Open, type: CelType, free: CelType): { isValid: boolean; isKnown: boolean } {
  if (sameType(type, free)) return { isValid: true, isKnown: true }
  const found = open.get(free.name)
  if (found) {
    if (sameType(type, found)) return { isValid: true, isKnown: true }
    if (!isAssignable(open, type, found)) return { isValid: false, isKnown: true }
    const general = mostGeneral(type, found)
    if (isAbsentFrom(open, free, general)) open.set(free.name, general)
    return { isValid: true, isKnown: true }
  }
  if (!isAbsentFrom(open, free, type)) return { isValid: false, isKnown: false }
  open.set(free.name, type)
  return { isValid: true, isKnown: false }
}

/** A type that stood for something containing itself would never end. */
function isAbsentFrom(open: Open, free: CelType, within: CelType): boolean {
  if (sameType(free, within)) return false
  if (within.kind === 'param') {
    const found = open.get(within.name)
    return found === undefined || isAbsentFrom(open, free, found)
  }
  return within.parameters.every((each) => isAbsentFrom(open, free, each))
}

export const mostGeneral = (a: CelType, b: CelType): CelType => (isEqualOrWider(a, b) ? a : b)

function isEqualOrWider(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  switch (a.kind) {
    case 'opaque':
    case 'list':
    case 'map':
      return (
        a.name === b.name &&
        a.parameters.length === b.parameters.length &&
        a.parameters.every((each, index) => isEqualOrWider(each, b.parameters[index] ?? DYN))
      )
    case 'type':
      return true
    default:
      return sameType(a, b)
  }
}

/** The type with everything known filled in. With `freeIsDyn`, what is still free counts as dynamic. */
export function substitute(known: Substitutions, type: CelType, freeIsDyn: boolean): CelType {
  if (type.kind === 'param') {
    const found = known.get(type.name)
    if (found) return substitute(known, found, freeIsDyn)
    return freeIsDyn ? DYN : type
  }
  if (type.parameters.length === 0) return type
  return { ...type, parameters: type.parameters.map((each) => substitute(known, each, freeIsDyn)) }
}
