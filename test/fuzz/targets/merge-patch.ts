import { applyMergePatch, isJsonObject, jsonEqual, PatchError } from '@strata/api'
import { chance } from '@strata/world'
import { jsonObject, jsonValue, mutateJson } from '../generate/json.ts'
import { expect, pureTarget, shown } from '../target.ts'

/** RFC 7386 over entries. As in kube-apiserver, fields that are null are left out of what is new, also inside of lists. */
function simpleMerge(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((each) => simpleMerge(undefined, each))
  if (!isJsonObject(patch)) return patch
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : [])
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field)
    else merged.set(field, simpleMerge(merged.get(field), value))
  }
  return Object.fromEntries(merged)
}

export const mergePatch = pureTarget<{
  readonly document: Record<string, unknown>
  readonly patch: unknown
}>({
  name: 'merge-patch',
  about: 'JSON merge patches, compared with a second implementation of RFC 7386',
  share: 10,
  open: () => ({
    generate: (random) => {
      const document = jsonObject(random)
      const other = (): unknown => jsonValue(random, 2)
      const patch = chance(random, 0.5) ? mutateJson(random, document, other) : jsonObject(random)
      return { document, patch: chance(random, 0.05) ? jsonValue(random) : patch }
    },
    check: ({ document, patch }) => {
      if (!isJsonObject(document)) return 'refused'
      const before = JSON.stringify([document, patch])
      try {
        const found = applyMergePatch(document, patch)
        const wanted = simpleMerge(document, patch)
        expect(jsonEqual(found, wanted), () => `gives ${shown(found)} instead of ${shown(wanted)}`)
        expect(jsonEqual(applyMergePatch(found, patch), found), () => 'a second time changes something')
        expect(JSON.stringify([document, patch]) === before, () => 'the patch changed its arguments')
        return 'accepted'
      } catch (error) {
        if (!(error instanceof PatchError)) throw error
        expect(!isJsonObject(patch), () => `refused an object: ${error.message}`)
        return 'refused'
      }
    },
  }),
})
