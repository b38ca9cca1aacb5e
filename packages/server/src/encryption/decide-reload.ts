import { type AgreementStatus, opensKey, persistedKeysOf, plainKey, unknownKey } from '@strata/api'

/** One resource, as its agreement record and two configurations see it. */
export interface ReloadedResource {
  readonly resource: string
  /** The keys that can be read by the active configuration, and by the new one. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The agreement record of the resource. */
  readonly record: Pick<AgreementStatus, 'epoch' | 'encodings' | 'persisted'> & {
    readonly servers: readonly { readonly writeKey: string; readonly refusesWrites?: boolean }[]
  }
  /** Why it is not proven that nothing is stored, if no server writes the resource; undefined if that was not checked. */
  readonly unproven?: string | undefined
}

/** Why keys of one resource may not be dropped, for operators; undefined if they may. */
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

/** If no server writes the resource, a read of its prefix may prove that nothing is stored, and so no key is used. */
export function mayBeUnused(reloaded: ReloadedResource): boolean {
  return keysWritten(reloaded.record).length === 0 && refuseKeys(reloaded) !== undefined
}

function keysWritten({ servers }: ReloadedResource['record']): readonly string[] {
  return servers.filter(({ refusesWrites }) => !refusesWrites).map(({ writeKey }) => writeKey)
}

/**
 * Why a configuration may not replace the active one; undefined if it may (docs/design/agreement.md, rule 17). A key is dropped
 * only when it is proven that no object is under it and no server writes with it. Otherwise:
 *
 * 1. A rotation stops silently at object 8,105 of 10,000.
 * 2. The operator drops the old key, because the command said it was done.
 * 3. The remaining objects are lost.
 */
export function decideReload(resources: readonly ReloadedResource[]): string | undefined {
  const unnamed = resources.filter(
    (each) => each.after.every((key) => key === plainKey) && refuseKeys(each) !== undefined,
  )
  const names = unnamed.map(({ resource }) => resource).join(', ')
  const noRule = names === '' ? '' : `no rule names ${names} any more; `
  const refused = resources.filter((each) => refuseKeys(each) !== undefined)
  if (refused.length === 0) return undefined
  const refusals = refused.map(refuseKeys)
  const commandNames = refused.map(({ resource }) => resource).join(' ')
  return `${noRule}it drops keys that are not proven to be out of use: ${refusals.join('; ')}; keep them behind the new key, run "strata migrate ${commandNames}", see with "strata census ${commandNames}" that nothing is left, and take them out then`
}
