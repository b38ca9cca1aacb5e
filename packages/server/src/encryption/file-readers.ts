import { stat } from 'node:fs/promises'
import type { Log } from '@strata/world'
import type { EncryptionConfiguration } from './configuration.ts'

/** Who besides the owner may read a file, by its mode; undefined if only the owner may. */
export function otherReaders(mode: number): string | undefined {
  const who = [...(mode & 0o040 ? ['its group'] : []), ...(mode & 0o004 ? ['everybody'] : [])]
  return who.length === 0 ? undefined : who.join(' and ')
}

/** A KMS keeps its keys to itself, and unencrypted resources have none. */
export function holdsSecrets({ rules }: EncryptionConfiguration): boolean {
  return rules.some(({ providers }) => providers.some(({ kind }) => kind !== 'identity' && kind !== 'kms'))
}

/** Only a warning: a file from a mounted Secret is often world-readable, in a container without other users. */
export async function warnAboutReaders(
  configuration: EncryptionConfiguration,
  { file, log }: { readonly file: string; readonly log: Log },
): Promise<void> {
  if (!holdsSecrets(configuration)) return
  const { mode } = await stat(file).catch(() => ({ mode: 0 }))
  const readers = otherReaders(mode)
  if (readers === undefined) return
  log.warn('users other than the owner can read the file with the encryption keys; run chmod 600 on it', {
    file,
    mode: (mode & 0o777).toString(8).padStart(4, '0'),
    readers,
  })
}
