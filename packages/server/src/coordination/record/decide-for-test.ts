import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { type AgreementFacts, decideAgreement } from './decide-agreement.ts'

/** The entry of a strict server without encryption that reads v1 and v2. */
export const entry = (
  serverID: string,
  encodingVersion: string,
  more: Partial<AgreementEntry> = {},
): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: ['v1', 'v2'],
  servedVersions: ['v1'],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
  ...more,
})

/** Every server with an entry is live. */
export const decide = (facts: Partial<AgreementFacts>): AgreementStatus =>
  decideAgreement({
    previous: undefined,
    entries: [],
    liveServers: new Set((facts.entries ?? []).map(({ serverID }) => serverID)),
    now: 'now',
    ...facts,
  })
