import { type GroupResource, groupResourceText, plainKey } from '@strata/api'
import { findStored } from '../../stored/find-stored.ts'
import type { StoreSight } from '../../stored/observe-store.ts'
import type { StoredPart } from '../../stored/store-tally.ts'
import type { StoredUnder } from './decide-rotation-elsewhere.ts'
import { isCutTo, keyOfBytes, unreadableBytes } from './key-text.ts'

/** What the store holds of these resources, and what else is under one of their keys. */
export function decideStoredUnder(
  { resources, definitions }: Pick<StoreSight, 'resources' | 'definitions'>,
  chosen: readonly GroupResource[],
  keys: readonly string[],
): { readonly stored: readonly StoredUnder[]; readonly doubt?: string | undefined } {
  const found = chosen.map((each) => {
    const name = groupResourceText(each)
    const isCustom = definitions.some((definition) => groupResourceText(definition) === name)
    return { name, ...findStored(resources, each, isCustom) }
  })
  const stored = resources.flatMap((each): StoredUnder[] => {
    // Two of the chosen ones may share a prefix.
    const asked = found.find((one) => one.stored === each)
    const counts = asked ? countsOf(each.parts) : countsOf(each.parts.filter(isEncrypted))
    const about = asked ? counts : counts.filter(({ key }) => isAnyOf(keys, key))
    return about.length === 0 ? [] : [{ resource: asked?.name ?? groupResourceText(each), keys: about }]
  })
  return { stored, doubt: found.find(({ doubt }) => doubt !== undefined)?.doubt }
}

const isEncrypted = ({ key }: StoredPart): boolean => key !== undefined

/** Also a key that the bytes do not name in full: it may be one of them. */
const isAnyOf = (keys: readonly string[], key: string): boolean =>
  key === unreadableBytes || keys.some((each) => each !== plainKey && (each === key || isCutTo(each, key)))

function countsOf(parts: readonly StoredPart[]): { readonly key: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const { key, form, count } of parts) {
    const name = form === 'unreadable' || key === '' ? unreadableBytes : keyOfBytes(key)
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return [...counts].map(([key, count]) => ({ key, count }))
}
