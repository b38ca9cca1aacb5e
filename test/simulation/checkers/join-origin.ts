import type { History, ObservedCommit } from '../history.ts'
import { aggregatedGroup, isMigrationKey, leasePrefix, storageStatePrefix } from '../keys.ts'
import { parseBytes } from './stored-json.ts'

const triggerLease = `${leasePrefix}strata-storage-version-migration-trigger`

/**
 * The history of an aggregated fleet, with what the aggregator's store says of its resource: migrations, StorageStates, and who
 * leads the trigger. So every checker compares these with the store that the resource is in.
 */
export function joinOrigin({ commits }: History, origin: History): History {
  const said = commits.flatMap((commit): readonly ObservedCommit[] => {
    const changes = commit.changes.filter(
      ({ key, ...change }) =>
        key === triggerLease || isAboutOrigin(key, 'value' in change ? change.value : undefined),
    )
    return changes.length === 0 ? [] : [{ ...commit, changes }]
  })
  const joined: ObservedCommit[] = []
  let next = 0
  for (const commit of origin.commits) {
    for (let each = said[next]; each && each.atMs <= commit.atMs; each = said[++next]) joined.push(each)
    joined.push(commit)
  }
  return { ...origin, commits: [...joined, ...said.slice(next)] }
}

function isAboutOrigin(key: string, value: Uint8Array | undefined): boolean {
  if (!isMigrationKey(key) && !key.startsWith(storageStatePrefix)) return false
  if (value === undefined) return false
  return parseBytes(value).spec?.resource?.group === aggregatedGroup
}
