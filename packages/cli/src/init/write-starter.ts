import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { archivesAmong, decideManifest } from './decide-manifest.ts'
import { type KindNames, rename } from './decide-names.ts'

/** Which packages the starter needs, and where they are: in a folder, or in a registry. */
export interface StarterPackages {
  readonly version: string
  readonly folder: string | undefined
}

/** Writes the starter into a new or empty directory, and returns the names of its files. */
export async function writeStarter(
  directory: string,
  names: KindNames,
  packages: StarterPackages,
): Promise<readonly string[]> {
  const manifest = await manifestOf(names.plural, packages)
  await mkdir(directory, { recursive: true })
  if ((await readdir(directory)).length > 0) {
    throw new CliError(`${directory} is not empty: give another one with --dir`, exitCodes.usage)
  }
  const { default: starter } = await import('./starter.json', { with: { type: 'json' } })
  const files = { ...(starter as Record<string, string>), 'package.json': manifest }
  const written = Object.entries(files).map(
    ([name, text]) => [rename(name, names), rename(text, names)] as const,
  )
  for (const [name, text] of written) await writeFile(join(directory, name), text)
  return written.map(([name]) => name).sort()
}

/** Whether programs in this directory find the packages in a folder above it, as in the clone. */
export const arePackagesFound = (directory: string): boolean =>
  createRequire(join(resolve(directory), 'main.ts'))
    .resolve.paths('@strata/server')
    ?.some((folder) => existsSync(join(folder, '@strata/server'))) ?? false

async function manifestOf(name: string, { version, folder }: StarterPackages): Promise<string> {
  const source = folder === undefined ? 'registry' : await archivesIn(folder, version)
  const manifest = decideManifest(name, version, source)
  if ('missing' in manifest) {
    throw new CliError(
      `--packages ${folder} has no strata-${manifest.missing}-${version}.tgz: name the folder that "npm run package" fills`,
      exitCodes.usage,
    )
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

async function archivesIn(folder: string, version: string): Promise<ReadonlyMap<string, string>> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`--packages ${folder} cannot be read: ${error.code}`, exitCodes.usage, {
      cause: error,
    })
  })
  return new Map(Array.from(archivesAmong(files, version), ([name, file]) => [name, resolve(folder, file)]))
}
