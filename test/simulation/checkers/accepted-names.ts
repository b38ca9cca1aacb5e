import { definedPluralOf } from '../keys.ts'
import { replayDefinitions } from './definitions.ts'
import type { Checker } from './violation.ts'

/** A kind of a group belongs to one CRD at a time: otherwise an object of that kind is ambiguous. */
export const acceptedNames: Checker = {
  name: 'accepted-names',
  *check(history) {
    for (const { commit, state, apply } of replayDefinitions(history)) {
      if (!commit.changes.some(({ key }) => definedPluralOf(key))) continue
      apply()
      const named = [...state.definitions].filter(([, { hasNames }]) => hasNames)
      for (const [kind, owners] of Map.groupBy(named, ([, definition]) => definition.kind)) {
        if (owners.length < 2) continue
        const names = owners.map(([plural]) => plural).join(' and ')
        yield {
          atMs: commit.atMs,
          text: `after a write of ${commit.writer}, ${names} both have the kind ${kind}`,
        }
      }
    }
  },
}
