import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'

export interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
}

/** The packages of package-lock.json by their folder, e.g. `node_modules/yaml`. */
export function readLockFile(): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
}
