import { caBundleProblem } from '../machinery/ca-bundle.ts'
import { jsonEqual } from '../machinery/patch/json-value.ts'
import {
  conditionOf,
  type FoundCondition,
  isConditionTrue,
  isSameCondition,
  withCondition,
} from './conditions.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from './custom-resource-definition.ts'

/** Whatever has names in a group: a CRD, or a built-in resource. */
export interface Named {
  readonly status: { readonly acceptedNames: CustomResourceDefinitionNames }
}

/**
 * Decides which names of a CRD are accepted, and whether all are. A name is free unless another CRD of the group has it
 * (`othersInGroup`). A plural is also taken if a built-in resource has it (`isBuiltIn`): the server serves the built-in one, so
 * the CRD would be established without effect. Upstream accepts that. An established CRD stays established. Undefined if the
 * status does not change.
 *
 * One definition of a group must be decided at a time, by what the last decision has written: otherwise two of them get
 * the same name.
 */
export function decideNames(
  definition: CustomResourceDefinition,
  othersInGroup: readonly Named[],
  now: string,
  isBuiltIn = false,
): CustomResourceDefinitionStatus | undefined {
  const { spec, status } = definition
  if (jsonEqual(spec.names, status.acceptedNames)) return undefined
  const { acceptedNames, conflict } = accept(definition, othersInGroup, isBuiltIn)
  const found: FoundCondition = conflict ?? {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  const before = conditionOf(definition, 'NamesAccepted')
  if (jsonEqual(acceptedNames, status.acceptedNames) && isSameCondition(found, before)) return undefined
  const named = withCondition({ ...status, acceptedNames }, found, now)
  return withCondition(named, notYetEstablished(definition, conflict === undefined), now)
}

/** An established CRD stays established: if its new names are taken, it keeps serving under the old ones. */
function notYetEstablished(definition: CustomResourceDefinition, accepted: boolean): FoundCondition {
  const before = conditionOf(definition, 'Established')
  if (before && (before.status === 'True' || !accepted)) {
    const { type, status, reason = '', message = '' } = before
    return { type, status, reason, message }
  }
  return accepted
    ? {
        type: 'Established',
        status: 'False',
        reason: 'Installing',
        message: 'the initial names have been accepted',
      }
    : {
        type: 'Established',
        status: 'False',
        reason: 'NotAccepted',
        message: 'not all names are accepted',
      }
}

interface Acceptance {
  readonly acceptedNames: CustomResourceDefinitionNames
  /** The last name that was refused. */
  readonly conflict?: FoundCondition
}

function accept(
  { spec, status }: CustomResourceDefinition,
  othersInGroup: readonly Named[],
  isBuiltIn: boolean,
): Acceptance {
  const given = [status.acceptedNames, ...othersInGroup.map((other) => other.status.acceptedNames)]
  const resources = new Set(
    given.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
  )
  const kinds = new Set(given.flatMap(({ kind, listKind = '' }) => [kind, listKind]))
  const { names } = spec
  const has = status.acceptedNames
  const accepted: {
    -readonly [Name in keyof CustomResourceDefinitionNames]: CustomResourceDefinitionNames[Name]
  } = { ...has }
  let conflict: FoundCondition | undefined
  const refuse = (reason: string, taken: readonly string[]): void => {
    const message = manyErrors(taken.map((name) => `${JSON.stringify(name)} is already in use`))
    conflict = { type: 'NamesAccepted', status: 'False', reason, message }
  }
  const isTaken = (asked: string, had: string, used: ReadonlySet<string>): boolean =>
    asked !== had && used.has(asked)

  if (isTaken(names.plural, has.plural, resources)) refuse('PluralConflict', [names.plural])
  else accepted.plural = names.plural
  const { singular = '', listKind = '' } = names
  if (isTaken(singular, has.singular ?? '', resources)) refuse('SingularConflict', [singular])
  else accepted.singular = singular
  const own = new Set(has.shortNames)
  const taken = (names.shortNames ?? []).filter((each) => !own.has(each) && isTaken(each, '', resources))
  if (taken.length > 0) refuse('ShortNamesConflict', taken)
  else setList(accepted, 'shortNames', names.shortNames)
  if (isTaken(names.kind, has.kind, kinds)) refuse('KindConflict', [names.kind])
  else accepted.kind = names.kind
  if (isTaken(listKind, has.listKind ?? '', kinds)) refuse('ListKindConflict', [listKind])
  else accepted.listKind = listKind
  setList(accepted, 'categories', names.categories)
  // Last, so that the condition reports it: another name would not help.
  if (isBuiltIn) {
    accepted.plural = has.plural
    conflict = builtInConflict(spec)
  }
  if (!accepted.singular) delete accepted.singular
  if (!accepted.listKind) delete accepted.listKind
  return conflict ? { acceptedNames: accepted, conflict } : { acceptedNames: accepted }
}

function builtInConflict({ group, names }: CustomResourceDefinition['spec']): FoundCondition {
  const message = `${JSON.stringify(`${names.plural}.${group}`)} is a built-in resource of this server; delete this CustomResourceDefinition, and define the resource in another group`
  return { type: 'NamesAccepted', status: 'False', reason: 'PluralConflict', message }
}

function setList(
  names: { shortNames?: readonly string[]; categories?: readonly string[] },
  field: 'shortNames' | 'categories',
  list: readonly string[] | undefined,
): void {
  if (list?.length) names[field] = list
  else delete names[field]
}

/** Joins errors as Go does: duplicates once, several in brackets. */
function manyErrors(texts: readonly string[]): string {
  const distinct = [...new Set(texts)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

/**
 * Whether a definition whose names are accepted may be served from now on. Undefined if it is, or may not be, as its
 * status says already.
 */
export function decideEstablished(
  definition: CustomResourceDefinition,
  now: string,
): CustomResourceDefinitionStatus | undefined {
  if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established'))
    return undefined
  const caBundle = definition.spec.conversion?.webhook?.clientConfig?.caBundle
  const found: FoundCondition =
    caBundle !== undefined && caBundleProblem(caBundle) !== undefined
      ? {
          type: 'Established',
          status: 'False',
          reason: 'InvalidCABundle',
          message: 'The conversion webhook CABundle is invalid',
        }
      : {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
  if (isSameCondition(found, conditionOf(definition, 'Established'))) return undefined
  return withCondition(definition.status, found, now)
}
