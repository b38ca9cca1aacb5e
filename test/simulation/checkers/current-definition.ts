import type { Change } from '@strata/server/store'
import { customPluralOf, definedPluralOf } from '../keys.ts'
import { isMark } from '../world/definitions.ts'
import { type DefinedState, replayDefinitions } from './definitions.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/**
 * Rule 4. In the moment in which an instance is stored, the definition that it was written by is the one that stands: its
 * storage version is that of the bytes, and their mark is its own. It is remembered there that this version is stored;
 * nothing comes while it goes; and when it is gone, nothing of it is left.
 */
export const currentDefinition: Checker = {
  name: 'current-definition',
  *check(history) {
    for (const { commit, state } of replayDefinitions(history)) {
      for (const change of commit.changes) {
        const problem = change.kind === 'put' ? strange(change, state) : left(change, state)
        if (problem === undefined) continue
        yield { atMs: commit.atMs, text: `${commit.writer} at ${change.revision}, ${change.key}: ${problem}` }
      }
    }
  },
}

function strange(change: Change & { readonly kind: 'put' }, state: DefinedState): string | undefined {
  const plural = customPluralOf(change.key)
  if (!plural) return undefined
  const definition = state.definitions.get(plural)
  if (!definition) return 'stored without a definition'
  if (!definition.isEstablished) return 'stored although its definition is not established'
  const { apiVersion, spec } = parseBytes(change.value)
  const { storageVersion, storedVersions, mark, isTerminating } = definition
  if (apiVersion !== storageVersion) {
    return `stored in ${apiVersion}, although its definition says ${storageVersion}`
  }
  const marks = Object.keys(spec).filter(isMark)
  if (marks.join() !== mark) return `stored by the definition of ${marks}, although that of ${mark} stands`
  if (!storedVersions.includes(apiVersion.split('/')[1])) return `${apiVersion} is not among storedVersions`
  if (isTerminating && !state.instances.get(plural)?.has(change.key))
    return 'created while its definition goes'
  return undefined
}

function left({ key }: Change, { instances }: DefinedState): string | undefined {
  const plural = definedPluralOf(key)
  const count = (plural && instances.get(plural)?.size) ?? 0
  return count === 0 ? undefined : `the definition is gone, and ${count} instances are left`
}
