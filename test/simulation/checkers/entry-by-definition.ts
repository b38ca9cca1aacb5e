import type { AgreementEntry, StorageAgreement } from '@strata/api'
import { customGroup, customPlurals } from '../keys.ts'
import { DefinedState, type StoredDefinition } from './definitions.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * Rule 4, of what is published: in the moment in which a server says how it stores instances, the definition that it says
 * so by is the one that stands. One state of a definition makes every server say the same.
 */
export const entryByDefinition: Checker = {
  name: 'entry-by-definition',
  *check(history) {
    const defined = new DefinedState()
    const said = new Map<string, string>()
    for (const { commit, state, written, apply } of replay(history)) {
      apply()
      for (const plural of customPlurals) {
        const name = `${customGroup}.${plural}`
        const record = state.records.get(name)
        if (!record || !written.has(name)) continue
        for (const entry of newEntries(record, written.get(name))) {
          const problem = strange(entry, defined.definitions.get(plural), said)
          if (problem) yield { atMs: commit.atMs, text: `${commit.writer} says of ${plural}: ${problem}` }
        }
      }
      defined.apply(commit)
    }
  },
}

function newEntries(now: StorageAgreement, before: StorageAgreement | undefined): AgreementEntry[] {
  const known = new Set((before?.status.servers ?? []).map((entry) => JSON.stringify(entry)))
  return now.status.servers.filter((entry) => !known.has(JSON.stringify(entry)))
}

function strange(
  { encodingVersion, encoderFingerprint }: AgreementEntry,
  definition: StoredDefinition | undefined,
  said: Map<string, string>,
): string | undefined {
  if (!definition?.isEstablished) return `${encodingVersion}, although nothing is defined`
  const { storageVersion, uid, generation } = definition
  if (encodingVersion !== storageVersion) {
    return `${encodingVersion}, although the definition says ${storageVersion}`
  }
  const state = `${uid} ${generation}`
  const first = said.get(state) ?? encoderFingerprint
  said.set(state, first)
  if (first === encoderFingerprint) return undefined
  return `${encoderFingerprint} in generation ${generation}, of which ${first} was said before`
}
