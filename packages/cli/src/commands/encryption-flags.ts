import { resolve } from 'node:path'
import type { Command } from 'commander'

export interface EncryptionFlags {
  readonly encryptionProviderConfig?: string
  readonly encryptionProviderConfigAutomaticReload?: boolean
}

/** What is stored encrypted, and with which keys, by kube-apiserver's names. */
export function addEncryptionFlags(command: Command): Command {
  return command
    .option(
      '--encryption-provider-config <file>',
      'apiserver.config.k8s.io/v1 EncryptionConfiguration: what to encrypt at rest, and with which keys (docs/encryption.md)',
    )
    .option(
      '--encryption-provider-config-automatic-reload',
      'take over that file whenever it changes; one that cannot be used, or drops a key that is in use, changes nothing',
    )
}

/** The same as options of the server. */
export function encryptionOptions(flags: EncryptionFlags) {
  const { encryptionProviderConfig, encryptionProviderConfigAutomaticReload: automaticReload } = flags
  return encryptionProviderConfig === undefined
    ? { ...(automaticReload ? { encryptionProviderConfigAutomaticReload: true } : {}) }
    : { encryptionProviderConfig, encryptionProviderConfigAutomaticReload: automaticReload ?? false }
}

/** For the servers that somebody else starts. */
export function encryptionArgs(flags: EncryptionFlags): string[] {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: automaticReload } = flags
  return [
    ...(file === undefined ? [] : ['--encryption-provider-config', resolve(file)]),
    ...(automaticReload ? ['--encryption-provider-config-automatic-reload'] : []),
  ]
}
