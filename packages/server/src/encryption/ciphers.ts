import type { Random } from '@strata/world'
import type { KeyConfiguration, KeyedProvider } from './configuration.ts'
import type { SealingKey } from './sealing-key.ts'

/** Turns a configured key into one that opens and seals. */
export type MakeKey = (key: KeyConfiguration, random: Random) => SealingKey

export type Ciphers = Readonly<Record<KeyedProvider, MakeKey>>

/** Loads only the configured cipher: most servers encrypt nothing, and the others use one. */
export async function loadCipher(kind: KeyedProvider): Promise<MakeKey> {
  switch (kind) {
    case 'aescbc':
      return (await import('./aes-cbc.ts')).createAesCbc
    case 'aesgcm':
      return (await import('./aes-gcm.ts')).createAesGcm
    case 'secretbox':
      return (await import('./secretbox.ts')).createSecretbox
  }
}

/** Loads the KMS client early, for callers that cannot wait later. */
export const loadKms = async () => (await import('./kms/kms-provider.ts')).KmsProvider

/** Loads all ciphers, for callers that cannot wait later. */
export async function loadCiphers(): Promise<Ciphers> {
  const [aescbc, aesgcm, secretbox] = await Promise.all([
    loadCipher('aescbc'),
    loadCipher('aesgcm'),
    loadCipher('secretbox'),
  ])
  return { aescbc, aesgcm, secretbox }
}
