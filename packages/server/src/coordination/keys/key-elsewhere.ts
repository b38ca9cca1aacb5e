import type { AgreementEntry } from '@strata/api'

/**
 * What a server writes under already where it would rather write under that key too: that key itself, if it was promoted
 * somewhere, else what it goes on with while it waits. Undefined where it prefers that key for nothing else.
 */
export function keyElsewhere(
  own: Iterable<Pick<AgreementEntry, 'writeKey' | 'wantedKey' | 'refusesWrites'>>,
  preferred: string | undefined,
): string | undefined {
  if (preferred === undefined) return undefined
  const writing = [...own].filter(({ refusesWrites }) => !refusesWrites)
  if (writing.some(({ writeKey }) => writeKey === preferred)) return preferred
  return writing.find(({ wantedKey }) => wantedKey === preferred)?.writeKey
}
