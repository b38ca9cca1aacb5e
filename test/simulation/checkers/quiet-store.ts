import type { Change } from '@strata/server/store'
import { agreementPrefix, storageVersionPrefix } from '../keys.ts'
import type { Checker } from './violation.ts'

/**
 * Rule 9. A record, or what is projected from it, is written only when it says something else than before: times alone
 * are no news. Otherwise servers that see each other's writes would write for ever, and break each other's guards.
 */
export const quietStore: Checker = {
  name: 'quiet-store',
  *check({ commits }) {
    const said = new Map<string, string>()
    for (const { atMs, writer, changes } of commits) {
      for (const change of changes) {
        const { key } = change
        if (!key.startsWith(agreementPrefix) && !key.startsWith(storageVersionPrefix)) continue
        const now = withoutTimes(change)
        if (said.get(key) === now)
          yield { atMs, text: `${writer} wrote ${key}, which says the same as before` }
        said.set(key, now)
      }
    }
  },
}

function withoutTimes(change: Change): string {
  if (change.kind === 'delete') return ''
  const text = Buffer.from(change.value).toString()
  return JSON.stringify(JSON.parse(text), (field, value) =>
    /^(?:lastTransitionTime|agreedSince|selectedSince|epochRevision)$/.test(field) ? undefined : value,
  )
}
