import type { History } from '../history.ts'
import { type CustomPlural, customPluralOf, definedPluralOf } from '../keys.ts'
import { readDefinition } from './definitions.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/**
 * In the moment in which a version goes from the storedVersions of a definition, nothing is stored in it. Otherwise
 * an operator removes the version from the CRD, which is allowed then, and no server can read what is left.
 */
export const prunedOnProof: Checker = {
  name: 'pruned-on-proof',
  *check({ commits }: History) {
    const listed = new Map<
      CustomPlural,
      { readonly uid: string; readonly storedVersions: readonly string[] }
    >()
    const stored = new Map<string, string>()
    for (const { atMs, writer, changes } of commits) {
      for (const change of changes) {
        const plural = definedPluralOf(change.key)
        if (plural && change.kind === 'put') {
          const { uid, storedVersions } = readDefinition(change.value)
          const before = listed.get(plural)
          const gone =
            before?.uid === uid ? before.storedVersions.filter((each) => !storedVersions.includes(each)) : []
          listed.set(plural, { uid, storedVersions })
          const left = [...stored].find(
            ([key, apiVersion]) =>
              customPluralOf(key) === plural && gone.includes(apiVersion.split('/')[1] ?? ''),
          )
          if (left) {
            const text = `${writer} took ${gone} from the storedVersions of ${plural}, and ${left[0]} is stored in ${left[1]}`
            yield { atMs, text }
          }
        }
        if (!customPluralOf(change.key)) continue
        if (change.kind === 'put') {
          const { apiVersion } = parseBytes(change.value)
          stored.set(change.key, apiVersion)
        } else stored.delete(change.key)
      }
    }
  },
}
