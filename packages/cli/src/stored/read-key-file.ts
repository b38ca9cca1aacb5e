import type { KeyRule } from '@strata/api'
import {
  readConfigurationFile,
  UnusableConfiguration,
  understandConfiguration,
} from '@strata/server/stored-values'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** An encryption file without its secrets. */
export interface KeyFile {
  /** As servers publish it of the file that they have loaded. */
  readonly hash: string
  /** Keys as provider and name: `aesgcm:key1`. */
  readonly rules: readonly Required<KeyRule>[]
}

/** Which keys an EncryptionConfiguration names, for which resources. */
export async function readKeyFile(file: string): Promise<KeyFile> {
  try {
    const { hash, configuration } = await understandConfiguration(
      await readConfigurationFile(file),
      () => false,
    )
    const rules = configuration.rules.map(({ resources, providers }) => {
      const reads = providers.flatMap((each) => {
        if (each.kind === 'identity') return ['identity']
        if (each.kind === 'kms') return [`kms:${encodeURIComponent(each.name)}`]
        return each.keys.map(({ name }) => `${each.kind}:${encodeURIComponent(name)}`)
      })
      return { resources, writes: reads[0] ?? 'identity', reads }
    })
    return { hash, rules }
  } catch (error) {
    if (!(error instanceof UnusableConfiguration)) throw error
    const text = `--encryption-provider-config ${file}: ${error.message}`
    throw new CliError(text, exitCodes.usage, { cause: error })
  }
}
