import type { AgreementEntry } from '@strata/api'

/**
 * The key under which this server writes its other resources that prefer the same key: the preferred key itself, if it was
 * promoted for one of them, else the key in use until then. Undefined if it prefers that key for no other resource.
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
