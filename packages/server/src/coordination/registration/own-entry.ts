import { type AgreementEncoder, type AgreementEntry, plainKey } from '@strata/api'
import { type Codec, encoderFingerprint } from '../../codec/index.ts'
import type { ServerKeys } from '../keys/server-keys.ts'

/** What a server says of itself in every one of its entries. */
export interface OwnFacts {
  readonly self: { readonly serverID: string; readonly process: string }
  readonly keys: ServerKeys
  readonly expectedServers: number
  /** Whether this server's kinds are voted on, or reported; custom resources are always reported. */
  readonly form: 'report' | 'vote'
  readonly guarantee: AgreementEntry['guarantee']
}

/** What this server says of one resource. What a voter encodes is not its own choice, and is filled in by whoever decides. */
export function ownEntry(codec: Codec, facts: OwnFacts): AgreementEntry {
  const { preferredVersion } = codec
  const { expectedServers, form, guarantee, keys, self } = facts
  const { preferred, readable } = keys.of(codec.definition)
  const isVoted = form === 'vote' && !codec.definition.isCustom
  return {
    ...self,
    encodingVersion: preferredVersion,
    // What this kind is called in other groups can be read from the store as well, and has to be said to be: nobody
    // may serve what it does not decode (seed 003).
    decodableVersions: [...codec.decodableVersions, ...codec.equivalentVersions].sort(),
    servedVersions: codec.servedVersions.toSorted(),
    guarantee,
    // What is decided when it is stored is decided on what the others say; this is what it says for itself.
    writeKey: preferred ?? readable[0] ?? plainKey,
    readableKeys: readable,
    encoderFingerprint: encoderFingerprint(codec, preferredVersion),
    ...(expectedServers > 0 ? { expectedServers } : {}),
    ...(codec.definition.isCustom ? { isCustom: true } : {}),
    ...(isVoted ? { preferredVersion, encoders: encodersOf(codec) } : {}),
  }
}

/** A release writes whatever it can read, of the resource's own group: what is stored is never of another one. */
function encodersOf(codec: Codec): AgreementEncoder[] {
  return codec.decodableVersions
    .toSorted()
    .map((encodingVersion) => ({ encodingVersion, fingerprint: encoderFingerprint(codec, encodingVersion) }))
}

/** Whether the stored entry allows this codec to write: a definition may have changed since, or a selection moved away. */
export function isWritableBy(codec: Codec, own: AgreementEntry): boolean {
  if (own.refusesWrites) return false
  return own.preferredVersion === undefined
    ? own.encodingVersion === codec.preferredVersion
    : codec.decodableVersions.includes(own.encodingVersion)
}
