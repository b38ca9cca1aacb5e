import {
  Encryption,
  readConfigurationFile,
  UnusableConfiguration,
  understandConfiguration,
} from '@strata/server/stored-values'
import type { World } from '@strata/world'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { readValue } from './read-value.ts'
import type { OpenSealed } from './store-tally.ts'

/** Reads encrypted values with the keys of an EncryptionConfiguration, the file that the servers have. */
export async function openWithKeys(file: string, world: World, signal: AbortSignal): Promise<OpenSealed> {
  const isPlain = (): boolean => false
  const encryption = await readKeys(file, isPlain, world, signal)
  return async (entry, resource) => {
    const sealed = readValue(entry.value)
    try {
      const opened = await encryption.ringOf(resource)?.open(entry.value, entry.key)
      if (!opened) return { read: sealed }
      const key = sealed.key === undefined ? {} : { key: sealed.key }
      return { read: { ...readValue(opened.value), ...key }, plain: opened.value }
    } catch (error) {
      // A key that the file lacks, or a KMS that does not answer: the object is counted, and its version is unknown.
      return { read: { ...sealed, because: error instanceof Error ? error.message : String(error) } }
    }
  }
}

async function readKeys(
  file: string,
  isPlain: () => boolean,
  world: World,
  signal: AbortSignal,
): Promise<Encryption> {
  try {
    const { configuration } = await understandConfiguration(await readConfigurationFile(file), isPlain)
    return await Encryption.create(configuration, { world, isPlain }, signal)
  } catch (error) {
    if (!(error instanceof UnusableConfiguration)) throw error
    const text = `--encryption-provider-config ${file}: ${error.message}`
    throw new CliError(text, exitCodes.usage, { cause: error })
  }
}
