import { cannotDecodePhrase, lacksKeyPhrase } from '@strata/api'

/** Checks of /readyz whose failure means more than that the server is still starting. */
export const decisiveChecks = {
  undecodable: 'storage-decodable',
  registration: 'poststarthook/built-in-resources-storage-version-updater',
  kms: 'kms-providers',
} as const

/** The messages of the failing checks. */
export type Reasons = Readonly<Partial<Record<keyof typeof decisiveChecks, string>>>

export type Outlook =
  /** Nothing is wrong so far. */
  | { readonly kind: 'starting' }
  /** A check fails, but may pass later: because of another server, or when a KMS comes back. */
  | { readonly kind: 'waits'; readonly why: string }
  | { readonly kind: 'never'; readonly why: string }

/**
 * Whether a server that is not ready can still become ready. All servers of a fleet have the same release and the same keys:
 * if one cannot decode or decrypt an object, no other server can migrate it.
 */
export function decideOutlook({ undecodable, registration, kms }: Reasons): Outlook {
  if (undecodable?.includes(cannotDecodePhrase)) return { kind: 'never', why: undecodable }
  if (registration?.includes(lacksKeyPhrase)) return { kind: 'never', why: registration }
  // Its entries are still being stored.
  const refusal = registration?.startsWith('waiting for ') ? undefined : registration
  // The version of an object that cannot be decrypted is unknown: this server may well decode it.
  const whys = [undecodable, kms, refusal].filter((why) => why !== undefined)
  return whys.length === 0 ? { kind: 'starting' } : { kind: 'waits', why: whys.join('; ') }
}
