import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'
import { filesBelow, writeArchive } from './archives.ts'

/** The packages that programs import, as npm would pack them, by file name. `work` is a folder for what is made on the way. */
export function packLibraries(version: string, work: string): ReadonlyMap<string, Buffer> {
  const dist = join(work, 'libraries')
  // A program of its own: what it prints is about files that are removed again.
  execFileSync(process.execPath, [join(root, 'tools/build.ts'), '--out', dist], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const packages = join(dist, 'packages')
  return new Map(
    readdirSync(packages)
      .sort()
      .map((name) => [
        `strata-${name}-${version}.tgz`,
        writeArchive(filesBelow(join(packages, name), 'package')),
      ]),
  )
}
