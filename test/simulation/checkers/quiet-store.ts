import type { Change } from '@strata/server/store'
import { agreementPrefix, storageVersionPrefix } from '../keys.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** How often a record may be moved in a row and say the same. */
const mostMoves = 10

/**
 * Rule 9. A record, or what is projected from it, is written only when it says something else than before: times alone
 * are no news. Otherwise servers that see each other's writes would write for ever, and break each other's guards.
 *
 * One exception: a record that no server writes is moved before it forgets what may be stored (rule 17). Several servers may
 * do so at once, and overtake each other; but not again and again.
 */
export const quietStore: Checker = {
  name: 'quiet-store',
  *check({ commits }) {
    const said = new Map<string, string>()
    const moves = new Map<string, number>()
    for (const { atMs, writer, changes } of commits) {
      for (const change of changes) {
        const { key } = change
        if (!key.startsWith(agreementPrefix) && !key.startsWith(storageVersionPrefix)) continue
        const now = withoutTimes(change)
        const isMove = said.get(key) === now && isUnwritten(change)
        moves.set(key, isMove ? 1 + (moves.get(key) ?? 0) : 0)
        if (said.get(key) === now && (!isMove || (moves.get(key) ?? 0) > mostMoves))
          yield { atMs, text: `${writer} wrote ${key}, which says the same as before` }
        said.set(key, now)
      }
    }
  },
}

/** A record that names what may be stored, and has no writer. */
function isUnwritten(change: Change): boolean {
  if (change.kind === 'delete' || !change.key.startsWith(agreementPrefix)) return false
  const { status } = parseBytes(change.value)
  const writers = status.servers.filter(({ refusesWrites }: { refusesWrites?: boolean }) => !refusesWrites)
  return writers.length === 0 && status.persisted?.length > 0
}

/** Times, and what is different in every write of a record. */
const noNews = new Set([
  ...['lastTransitionTime', 'agreedSince', 'selectedSince', 'epochRevision'],
  'strata.dev/record-nonce',
])

function withoutTimes(change: Change): string {
  if (change.kind === 'delete') return ''
  return JSON.stringify(parseBytes(change.value), (field, value) => (noNews.has(field) ? undefined : value))
}
