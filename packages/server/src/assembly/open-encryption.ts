import type { GroupResource, ResourceDefinition } from '@strata/api'
import type { World } from '@strata/world'
import { builtInResources, ConfigurationProblem } from '../configuration/index.ts'
import {
  ConfigurationWatch,
  Encryption,
  readConfigurationFile,
  UnusableConfiguration,
  understandConfiguration,
  warnAboutNames,
  warnAboutReaders,
} from '../encryption/index.ts'

export interface EncryptionFlags {
  /** An EncryptionConfiguration. Without one, nothing is encrypted. */
  readonly encryptionProviderConfig?: string | undefined
  readonly encryptionProviderConfigAutomaticReload?: boolean | undefined
}

export interface OpenedEncryption {
  readonly encryption: Encryption
  /** Set if the file is reloaded when it changes. */
  readonly watch: ConfigurationWatch | undefined
}

/** Reads the file that the flags name. Undefined if encryption is off. Throws `ConfigurationProblem`. */
export async function openEncryption(
  flags: EncryptionFlags,
  { world, resources }: { readonly world: World; readonly resources?: readonly ResourceDefinition[] },
  signal: AbortSignal,
): Promise<OpenedEncryption | undefined> {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: isReloaded } = flags
  if (file === undefined) {
    if (!isReloaded) return undefined
    throw new ConfigurationProblem(
      '--encryption-provider-config-automatic-reload: give --encryption-provider-config, too',
    )
  }
  const known = [...builtInResources, ...(resources ?? [])]
  const isPlain = frozenAmong(known)
  try {
    const read = await understandConfiguration(await readConfigurationFile(file), isPlain)
    const encryption = await Encryption.create(read.configuration, { world, isPlain }, signal)
    // A program that only reads the store does not know all kinds that are served.
    if (resources) {
      warnAboutNames(read.configuration, known, { file, log: world.log })
      await warnAboutReaders(read.configuration, { file, log: world.log })
    }
    const watch = isReloaded ? new ConfigurationWatch(file, read.hash, { world, isPlain, known }) : undefined
    return { encryption, watch }
  } catch (error) {
    if (!(error instanceof UnusableConfiguration)) throw error
    throw new ConfigurationProblem(`--encryption-provider-config ${file}: ${error.message}`, { cause: error })
  }
}

/** Servers must read the agreement kinds before they agree on a key, so these are never encrypted (agreement.md, rule 0). */
export function frozenAmong(
  definitions: readonly ResourceDefinition[],
): (resource: GroupResource) => boolean {
  const frozen = definitions.filter(({ bootstrap }) => bootstrap)
  return ({ group, resource }) => frozen.some((each) => each.group === group && each.resource === resource)
}
