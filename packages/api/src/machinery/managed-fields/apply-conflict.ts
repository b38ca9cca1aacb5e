import { ApiError } from '../../meta/status.ts'
import type { FieldPath, FieldSet } from './field-set.ts'
import { type ManagerId, managerKey } from './managed-entry.ts'
import { compareTexts, pathElementText, sortPathElements } from './path-element.ts'

/** Paths that an apply would change and another manager owns. */
export interface ApplyConflict {
  readonly manager: ManagerId
  readonly set: FieldSet
}

/** 409, naming every path and its owner, for people and for programs. */
export function applyConflictError(conflicts: readonly ApplyConflict[]): ApiError {
  const sorted = conflicts
    .map(({ manager, set }) => ({
      key: managerKey(manager),
      name: managerText(manager),
      paths: pathTexts(set),
    }))
    .sort((a, b) => compareTexts(a.key, b.key))
  const causes = sorted.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  )
  const [first] = causes
  const message =
    causes.length === 1 && first
      ? `1 conflict: ${first.message}: ${first.field}`
      : `${causes.length} conflicts: ${sorted.map(({ name, paths }) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)].join('\n')).join('\n')}`
  return new ApiError(409, 'Conflict', `Apply failed with ${message}`, { causes })
}

function managerText({ manager, operation, apiVersion, subresource }: ManagerId): string {
  const name =
    JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`)
  return operation === 'Update' ? `${name} using ${apiVersion}` : name
}

const pathTexts = (set: FieldSet): string[] =>
  Array.from(membersFirst(set, []), (path) => path.map(pathElementText).join(''))

/** In upstream's order: what is in the set at one level, and then what is below. */
function* membersFirst(set: FieldSet, prefix: FieldPath): Generator<FieldPath> {
  const elements = sortPathElements(set.children.keys())
  for (const element of elements) if (set.children.get(element)?.member) yield [...prefix, element]
  for (const element of elements) {
    const child = set.children.get(element)
    if (child) yield* membersFirst(child, [...prefix, element])
  }
}
