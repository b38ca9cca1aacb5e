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
  /** An EncryptionConfiguration; nothing is encrypted without one. */
  readonly encryptionProviderConfig?: string | undefined
  readonly encryptionProviderConfigAutomaticReload?: boolean | undefined
}

export interface OpenedEncryption {
  readonly encryption: Encryption
  /** Only where the file may change while the server runs. */
  readonly watch: ConfigurationWatch | undefined
}

/** Reads the file that the flags name. Throws `ConfigurationProblem`; undefined where nothing is to be encrypted. */
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
    // Who only reads what is stored does not know all kinds that are served.
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

/** Kinds that agreement is made of have to be readable before any key is agreed on (agreement.md, rule 0). */
export function frozenAmong(
  definitions: readonly ResourceDefinition[],
): (resource: GroupResource) => boolean {
  const frozen = definitions.filter(({ bootstrap }) => bootstrap)
  return ({ group, resource }) => frozen.some((each) => each.group === group && each.resource === resource)
}
