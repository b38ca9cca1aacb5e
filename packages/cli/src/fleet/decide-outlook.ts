import { cannotDecodePhrase, lacksKeyPhrase } from '@strata/api'

/** Checks of /readyz that say more than that a server has not come so far yet. */
export const tellingChecks = {
  undecodable: 'storage-decodable',
  registration: 'poststarthook/built-in-resources-storage-version-updater',
  kms: 'kms-providers',
} as const

/** Why those of them fail that do. */
export type Reasons = Readonly<Partial<Record<keyof typeof tellingChecks, string>>>

export type Outlook =
  /** It is as far as it could be by now. */
  | { readonly kind: 'starting' }
  /** Something is not as it should be, and may become so: by the other servers, or by a KMS that comes back. */
  | { readonly kind: 'waits'; readonly why: string }
  | { readonly kind: 'never'; readonly why: string }

/**
 * What may be expected of a server that is not ready. All servers of a fleet are of one release and read one file of keys: what
 * one of them cannot decode, or has no key for, no other will migrate.
 */
export function decideOutlook({ undecodable, registration, kms }: Reasons): Outlook {
  if (undecodable?.includes(cannotDecodePhrase)) return { kind: 'never', why: undecodable }
  if (registration?.includes(lacksKeyPhrase)) return { kind: 'never', why: registration }
  // Entries are being stored; that takes its time.
  const refusal = registration?.startsWith('waiting for ') ? undefined : registration
  // Of what cannot be decrypted nobody knows the version: it may well be one that is decoded here.
  const whys = [undecodable, kms, refusal].filter((why) => why !== undefined)
  return whys.length === 0 ? { kind: 'starting' } : { kind: 'waits', why: whys.join('; ') }
}
