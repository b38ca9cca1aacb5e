import { type AgreementStatus, opensKey, persistedKeysOf, plainKey, unknownKey } from '@strata/api'

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
  /** Why it is not proven that nothing is stored, where no server writes the resource; undefined where nobody has looked. */
  readonly unproven?: string | undefined
}

/** What keeps keys of one resource from being dropped, for people; undefined if nothing does. */
function refuseKeys({ resource, before, after, record, unproven }: ReloadedResource): string | undefined {
  const dropped = before.filter((key) => !opensKey(after, key))
  if (dropped.length === 0) return undefined
  const inUse = [...new Set([...persistedKeysOf(record), ...keysWritten(record)])]
  const needed = inUse.filter((key) => key !== unknownKey && !opensKey(after, key)).sort()
  const because =
    unproven === undefined
      ? ''
      : ` (${unproven}; if its CRD was deleted, create its CRD again, and migrate or delete what is stored)`
  if (needed.length > 0) return `${resource} may still have objects under ${needed.join(', ')}${because}`
  return inUse.includes(unknownKey)
    ? `it is unknown whether ${resource} has objects under ${dropped.join(', ')}${because}`
    : undefined
}

/** Where no server writes, a look at what is stored may prove that the keys are out of use. */
export function mayBeUnused(reloaded: ReloadedResource): boolean {
  return keysWritten(reloaded.record).length === 0 && refuseKeys(reloaded) !== undefined
}

function keysWritten({ servers }: ReloadedResource['record']): readonly string[] {
  return servers.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey)
}

/**
 * Why a configuration may not take the place of the one in force; undefined if it may (agreement.md, rule 17). A key goes only
 * when it is proven that nothing is under it and nobody writes with it. Otherwise: a rotation stops silently at object
 * 8,105 of 10,000, the old key is dropped because the command said it was done, and the rest is lost.
 */
export function decideReload(resources: readonly ReloadedResource[]): string | undefined {
  const unnamed = resources.filter(
    (each) => each.after.every((key) => key === plainKey) && refuseKeys(each) !== undefined,
  )
  const names = unnamed.map(({ resource }) => resource).join(', ')
  const noRule = names === '' ? '' : `no rule names ${names} any more; `
  const refusals = resources.flatMap((each) => refuseKeys(each) ?? [])
  if (refusals.length === 0) return undefined
  return `${noRule}it drops keys that are not proven to be out of use: ${refusals.join('; ')}; keep them behind the new key, run "strata migrate", see with "strata census" that nothing is left, and take them out then`
}
