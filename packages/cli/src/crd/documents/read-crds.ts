import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type CrdDocument, placeText } from './crd-document.ts'
import { parseCrds, UnreadableCrd } from './parse-crds.ts'

export interface ReadOptions {
  /** Also reads the directories in a directory. */
  readonly recursive?: boolean
}

/**
 * The CRDs of files and directories, sorted by name. Other kinds are passed over; a place without any CRD, or two CRDs of one
 * name, are errors of the user.
 */
export async function readCrds(
  paths: readonly string[],
  options: ReadOptions = {},
): Promise<readonly CrdDocument[]> {
  const all: CrdDocument[] = []
  for (const path of paths) {
    const found = await readPath(path, options)
    if (found.length === 0) throw mistyped(withoutCrds(path, options))
    all.push(...found)
  }
  return unique(all)
}

function withoutCrds(path: string, { recursive }: ReadOptions): string {
  const hint = recursive ? '' : '; -R also looks into the directories in it'
  return `${path}: there is no CustomResourceDefinition in it${hint}`
}

async function readPath(path: string, options: ReadOptions): Promise<readonly CrdDocument[]> {
  const isDirectory = await attempt(path, async () => (await stat(path)).isDirectory())
  if (!isDirectory) return readOne(path)
  const entries = await attempt(path, () => readdir(path, { withFileTypes: true }))
  const found: CrdDocument[] = []
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) {
      if (options.recursive) found.push(...(await readPath(inside, options)))
    } else if (/\.(?:ya?ml|json)$/i.test(entry.name)) found.push(...(await readOne(inside)))
  }
  return found
}

async function readOne(file: string): Promise<readonly CrdDocument[]> {
  const text = await attempt(file, () => readFile(file, 'utf8'))
  try {
    return parseCrds(text, file).crds
  } catch (error) {
    if (error instanceof UnreadableCrd) throw mistyped(error.message, error)
    throw error
  }
}

function unique(all: readonly CrdDocument[]): readonly CrdDocument[] {
  const byName = new Map<string, CrdDocument>()
  for (const each of all) {
    const other = byName.get(each.name)
    if (other) {
      throw mistyped(
        `${each.name} is there twice: in ${placeText(other.place)} and in ${placeText(each.place)}; give one release at a time`,
      )
    }
    byName.set(each.name, each)
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function attempt<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const { code } = error as { code?: string }
    const why = code === 'ENOENT' ? 'there is no such file or directory' : (error as Error).message
    throw mistyped(`${path}: ${why}`, error)
  }
}

const mistyped = (message: string, cause?: unknown): CliError =>
  new CliError(message, exitCodes.usage, cause === undefined ? undefined : { cause })
