import { type GroupResource, parseResourcePattern } from '@strata/api'
import type { FieldProblems } from './field-problems.ts'

/** The pattern as a configuration file writes it. */
export function patternText({ group, resource }: GroupResource): string {
  return group === '' && resource !== '*' ? resource : `${resource}.${group}`
}

/** The kinds of agreement: servers must read them before any key is agreed on (docs/design/agreement.md, rule 0). */
export type IsPlain = (resource: GroupResource) => boolean

const withoutApi = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'])

/** Reports what kube-apiserver refuses in one list of resources, and resources that can never be encrypted here. */
export function checkResources(
  path: string,
  names: readonly string[],
  isPlain: IsPlain,
  problems: FieldProblems,
): void {
  for (const [index, name] of names.entries()) {
    const problem = problemOf(name, isPlain)
    if (problem !== undefined) problems.add(`${path}[${index}]`, `${JSON.stringify(name)}: ${problem}`)
  }
  if (new Set(names).size < names.length) problems.add(path, 'names a resource twice; name each once')
  const parsed = names.map(parseResourcePattern)
  const masks = (all: GroupResource, other: GroupResource): boolean =>
    all !== other && all.resource === '*' && (all.group === '*' || all.group === other.group)
  const isMasked = parsed.some((all) =>
    parsed.some((other) => masks(all, other) && patternText(all) !== patternText(other)),
  )
  if (isMasked) {
    problems.add(
      path,
      'a wildcard covers another name of the same list; name either the wildcard or the others',
    )
  }
}

function problemOf(name: string, isPlain: IsPlain): string | undefined {
  if (name !== name.toLowerCase()) return 'names of resources have no capital letters'
  if (name === '*') return "write '*.' for everything in the core group, or '*.*' for everything"
  if (withoutApi.has(name)) return 'is not served by any API, and cannot be encrypted'
  const { group, resource } = parseResourcePattern(name)
  if (resource === '') return 'names no resource'
  if (group === 'events.k8s.io') return "events are stored in the core group; write 'events'"
  if (group === 'extensions') return 'that group is gone; name the group that the resource is in today'
  if (group === '*' && resource !== '*') {
    return `a resource of all groups cannot be named; write '${resource}' or '${resource}.GROUP'`
  }
  if (resource !== '*' && isPlain({ group, resource })) {
    return 'servers must read it before they agree on a key, so it cannot be encrypted; remove it'
  }
  return undefined
}
