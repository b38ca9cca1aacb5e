import { type AgreementEncoder, type AgreementEntry, plainKey } from '@strata/api'
import { type Codec, encoderFingerprint } from '../../codec/index.ts'
import type { ServerKeys } from '../keys/server-keys.ts'

/** What all entries of a server have in common. */
export interface OwnFacts {
  readonly self: { readonly serverID: string; readonly process: string }
  readonly keys: ServerKeys
  readonly expectedServers: number
  /** Whether this server's kinds are voted on, or reported; custom resources are always reported. */
  readonly form: 'report' | 'vote'
  readonly guarantee: AgreementEntry['guarantee']
}

/** This server's entry for one resource. The selection decides what a voter encodes, when the entry is stored. */
export function ownEntry(codec: Codec, facts: OwnFacts): AgreementEntry {
  const { preferredVersion } = codec
  const { expectedServers, form, guarantee, keys, self } = facts
  const { preferred, readable } = keys.of(codec.definition)
  const isVoted = form === 'vote' && !codec.definition.isCustom
  return {
    ...self,
    encodingVersion: preferredVersion,
    // The versions of this kind in other groups are decodable as well. The entry has to name them: KEP-2339 lets a server
    // serve only versions that it decodes.
    decodableVersions: [...codec.decodableVersions, ...codec.equivalentVersions].sort(),
    servedVersions: codec.servedVersions.toSorted(),
    guarantee,
    // The preference of this server. The key is decided when the entry is stored, on the entries of all servers.
    writeKey: preferred ?? readable[0] ?? plainKey,
    readableKeys: readable,
    encoderFingerprint: encoderFingerprint(codec, preferredVersion),
    ...(expectedServers > 0 ? { expectedServers } : {}),
    ...(codec.definition.isCustom ? { isCustom: true } : {}),
    ...(isVoted ? { preferredVersion, encoders: encodersOf(codec) } : {}),
  }
}

/** A release can write each version that it reads, within the resource's own group. */
function encodersOf(codec: Codec): AgreementEncoder[] {
  return codec.decodableVersions
    .toSorted()
    .map((encodingVersion) => ({ encodingVersion, fingerprint: encoderFingerprint(codec, encodingVersion) }))
}

/** Whether the stored entry allows this codec to write: the CRD or the selection may have changed since. */
export function isWritableBy(codec: Codec, own: AgreementEntry): boolean {
  if (own.refusesWrites) return false
  return own.preferredVersion === undefined
    ? own.encodingVersion === codec.preferredVersion
    : codec.decodableVersions.includes(own.encodingVersion)
}
