import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { compress, type TarEntry, writeTar } from './tar.ts'

export const writeArchive = (entries: readonly TarEntry[]): Buffer => compress(writeTar(entries))

/** The files below a folder, as they are to be below `prefix` in an archive. */
export const filesBelow = (folder: string, prefix: string): readonly TarEntry[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => {
      const file = join(each.parentPath, each.name)
      return {
        path: `${prefix}/${relative(folder, file).split(sep).join('/')}`,
        content: readFileSync(file),
        mode: /strata(?:\.mjs)?$/.test(file) ? 0o755 : 0o644,
      }
    })
