import {
  apiVersionOf,
  type GroupResource,
  groupResourceText,
  persistedHashesOf,
  storageVersionHash,
} from '@strata/api'
import type { ReleaseTable } from '@strata/api/kubernetes-releases'
import {
  type ClusterHints,
  resourceOfCrd,
  resourceOfState,
  whyStale,
  writtenNow,
} from '../decide-from-hints.ts'
import type { BuiltInResource } from './stored-before.ts'

/** The resources of the cluster that the table has, each by the name under which its objects are stored. */
export function builtInResources(
  table: ReleaseTable,
  hints: ClusterHints,
  declared: readonly GroupResource[],
  from: number,
): readonly BuiltInResource[] {
  const elsewhere = new Set([...hints.definitions.map(resourceOfCrd), ...declared].map(groupResourceText))
  const stored = hints.discovered
    .filter(({ verbs }) => verbs.includes('list') && verbs.includes('create'))
    .map((each) => table.storedName(groupResourceText(each)))
  const names = [...new Set(stored)].filter(
    (name) => !elsewhere.has(name) && table.factsOf(name, from) !== undefined,
  )
  return names.map((name) => builtInResource(name, table, hints))
}

function builtInResource(name: string, table: ReleaseTable, hints: ClusterHints): BuiltInResource {
  const dot = name.indexOf('.')
  const resource = dot < 0 ? name : name.slice(0, dot)
  const group = dot < 0 ? '' : name.slice(dot + 1)
  const nameOf = versionsByHash(name, table)
  const named = (hash: string): string => nameOf.get(hash) ?? hash
  const own = { group, resource }
  const served = hints.discovered.filter((each) => groupResourceText(each) === name)
  const state = hints.states.find((each) => groupResourceText(resourceOfState(each)) === name)
  const isKept = state !== undefined && whyStale(state, hints.nowMs) === undefined
  return {
    ...{ ...own, name, isEmpty: false },
    served: served.map(({ versionName }) => apiVersionOf(group, versionName)),
    written: writtenNow(own, hints).map(named),
    ...(isKept ? { persisted: persistedHashesOf(state).map(named) } : {}),
  }
}

/** The versions of the resource in any release, by their storage version hashes. */
function versionsByHash(name: string, table: ReleaseTable): ReadonlyMap<string, string> {
  const kind = table.kindOf(name) ?? ''
  const minors = Array.from({ length: table.last - table.first + 1 }, (_, index) => table.first + index)
  const versions = minors.flatMap((minor) => table.factsOf(name, minor)?.decodable ?? [])
  return new Map(versions.map((each) => [storageVersionHash(each, kind), each]))
}

/** Every version of a built-in resource that clients can use now. */
export function servedVersions(
  table: ReleaseTable,
  { discovered }: ClusterHints,
): ReadonlyArray<{ readonly name: string; readonly apiVersion: string }> {
  return discovered
    .map((each) => ({
      name: groupResourceText(each),
      apiVersion: apiVersionOf(each.group, each.versionName),
    }))
    .filter(({ name }) => table.kindOf(name) !== undefined)
}
