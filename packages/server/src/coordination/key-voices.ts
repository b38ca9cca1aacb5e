import { type AgreementEntry, unseenServersOf } from '@strata/api'
import type { AgreementView } from './agreement-records.ts'
import { serverOf } from './server-id.ts'

/** What one process says in a record about keys: by its entry, or, without an identity, by its statement (rule 18). */
export type KeyVoice = Pick<
  AgreementEntry,
  'serverID' | 'process' | 'writeKey' | 'readableKeys' | 'refusesWrites'
>

/** Statements of processes without an identity. A write key is decided on them as it is on entries. */
export function unseenVoices({ stored }: Pick<AgreementView, 'stored'>): readonly KeyVoice[] {
  if (!stored) return []
  return unseenServersOf(stored.record).map(({ process, writeKey, readableKeys, keyProblem }) => ({
    ...{ serverID: serverOf(process), process, writeKey, readableKeys },
    ...(keyProblem === undefined ? {} : { refusesWrites: true }),
  }))
}
