import { type AgreementStatus, opensKey, persistedKeysOf, unknownKey } from '@strata/api'

/** One resource, as its agreement record and two configurations see it. */
export interface ReloadedResource {
  readonly resource: string
  /** What can be read by the configuration in force, and by the new one. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Of the agreement record. */
  readonly record: Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'> & {
    readonly servers: readonly { readonly writeKey: string; readonly refusesWrites?: boolean }[]
  }
}

/**
 * Why a configuration may not take the place of the one in force; undefined if it may (agreement.md, rule 17). A key goes only
 * when it is proven that nothing is under it and nobody writes with it. Otherwise: a rotation stops silently at object
 * 8,105 of 10,000, the old key is dropped because the command said it was done, and the rest is lost.
 */
export function decideReload(resources: readonly ReloadedResource[]): string | undefined {
  const refusals = resources.flatMap(({ resource, before, after, record }) => {
    const dropped = before.filter((key) => !opensKey(after, key))
    if (dropped.length === 0) return []
    const writing = record.servers
      .filter(({ refusesWrites }) => !refusesWrites)
      .map(({ writeKey }) => writeKey)
    const inUse = [...new Set([...persistedKeysOf(record), ...writing])]
    const needed = inUse.filter((key) => key !== unknownKey && !opensKey(after, key)).sort()
    if (needed.length > 0) {
      return [`${resource} may still have objects under ${needed.join(', ')}`]
    }
    const gone = dropped.join(', ')
    return inUse.includes(unknownKey) ? [`nobody knows whether ${resource} has objects under ${gone}`] : []
  })
  if (refusals.length === 0) return undefined
  return `it drops keys that are not proven to be out of use: ${refusals.join('; ')}; keep them behind the new key, run "strata migrate", see with "strata census" that nothing is left, and take them out then`
}
