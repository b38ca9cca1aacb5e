import type { Operation } from '../history.ts'
import { customPluralOf } from '../keys.ts'
import { replayDefinitions } from './definitions.ts'
import type { Checker } from './violation.ts'

/** As upstream says that there is no such resource, or not in this version. */
export const nothingThere = /could not find the requested resource|page not found/

/**
 * What is said to be no resource was none, at some moment between question and answer; and whatever was answered by
 * a custom resource was served in that version then. Whoever has seen a definition established finds it everywhere.
 */
export const trueAbsence: Checker = {
  name: 'true-absence',
  *check(history) {
    const open = history.operations.filter(({ key }) => customPluralOf(key))
    const served = new Map<string, { readonly revision: number; readonly versions: readonly string[] }[]>()
    let revision = 0
    for (const { commit, state, apply } of replayDefinitions(history)) {
      apply()
      revision = commit.changes.at(-1)?.revision ?? revision
      for (const [plural, { isEstablished, served: versions }] of state.definitions) {
        note(served, plural, revision, isEstablished ? versions : [])
      }
      for (const plural of served.keys()) {
        if (!state.definitions.has(plural as never)) note(served, plural, revision, [])
      }
    }
    for (const operation of open) {
      const problem = strange(operation, served.get(customPluralOf(operation.key) ?? '') ?? [])
      if (problem) yield { atMs: operation.end?.endMs ?? 0, text: `${describe(operation)}: ${problem}` }
    }
  },
}

type Served = { readonly revision: number; readonly versions: readonly string[] }

function note(
  served: Map<string, Served[]>,
  plural: string,
  revision: number,
  versions: readonly string[],
): void {
  const all = served.get(plural) ?? []
  served.set(plural, all)
  if (all.at(-1)?.versions.join() !== versions.join()) all.push({ revision, versions })
}

function strange(
  { versionName = '', startRevision, end }: Operation,
  all: readonly Served[],
): string | undefined {
  if (!end || end.status === 0) return undefined
  const before = all.findLast(({ revision }) => revision <= startRevision)
  const within = all.filter(({ revision }) => revision > startRevision && revision <= end.endRevision)
  const wasServed = [before, ...within].map((each) => each?.versions.includes(versionName) === true)
  if (end.status === 404 && nothingThere.test(end.reason)) {
    return wasServed.includes(false) ? undefined : `said not to be served in ${versionName}, but it was`
  }
  if (end.outcome !== 'ok' || wasServed.includes(true)) return undefined
  return `answered in ${versionName}, which was not served in that time`
}

const describe = ({ kind, id, key }: Operation): string => `${kind} ${id} of ${key}`
