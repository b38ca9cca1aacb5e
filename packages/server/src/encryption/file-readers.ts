import { stat } from 'node:fs/promises'
import type { Log } from '@strata/world'
import type { EncryptionConfiguration } from './configuration.ts'

/** Who else than its owner may read a file, by its mode; undefined if nobody. */
export function otherReaders(mode: number): string | undefined {
  const who = [...(mode & 0o040 ? ['its group'] : []), ...(mode & 0o004 ? ['everybody'] : [])]
  return who.length === 0 ? undefined : who.join(' and ')
}

/** A KMS keeps its keys to itself, and what is not encrypted has none. */
export function holdsSecrets({ rules }: EncryptionConfiguration): boolean {
  return rules.some(({ providers }) => providers.some(({ kind }) => kind !== 'identity' && kind !== 'kms'))
}

/** Not refused: a file that a Secret is mounted as is often readable by all, in a place where nobody else is. */
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
