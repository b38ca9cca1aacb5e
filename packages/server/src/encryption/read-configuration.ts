import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { GroupResource } from '@strata/api'
import type { EncryptionConfiguration } from './configuration.ts'
import { parseConfiguration } from './parse-configuration.ts'

/** A file that cannot be used, and why; none of it is in force. */
export class UnusableConfiguration extends Error {
  override readonly name = 'UnusableConfiguration'
}

/** The content of a file, and a hash to recognize it: the file itself, with its secrets, is not kept. */
export interface ReadConfiguration {
  readonly hash: string
  readonly configuration: EncryptionConfiguration
}

export async function readConfigurationFile(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new UnusableConfiguration(why, { cause: error })
  })
}

export const configurationHash = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export async function understandConfiguration(
  bytes: Buffer,
  isPlain: (resource: GroupResource) => boolean,
): Promise<ReadConfiguration> {
  if (bytes.length === 0) throw new UnusableConfiguration('the file is empty')
  const { parse } = await import('yaml')
  const parsed = parseConfiguration(readYaml(parse, bytes.toString()), isPlain)
  if ('problems' in parsed) throw new UnusableConfiguration(parsed.problems.join('; '))
  return { hash: configurationHash(bytes), configuration: parsed.configuration }
}

/** JSON is YAML, too. The error has only the position, not the text: it may be a secret. */
function readYaml(parse: (text: string, options: { logLevel: 'error' }) => unknown, text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    const at = /at line \d+, column \d+/.exec(error instanceof Error ? error.message : '')?.[0] ?? ''
    throw new UnusableConfiguration(`the file is neither YAML nor JSON${at === '' ? '' : `, ${at}`}`)
  }
}
