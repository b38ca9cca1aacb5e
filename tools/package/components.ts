import type { LockedPackage } from './lock-file.ts'

/** Something made by others that is inside what we publish. */
export interface Component {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly licence: string
  /** `sha512-…` of its archive, as a lock file pins it. */
  readonly integrity?: string
  /** Where it is in the clone, for its licence text. */
  readonly folder: string
}

/** The packages that a bundle was made from, by the paths of its inputs. Our own packages are not among them. */
export function componentsOf(
  inputs: readonly string[],
  lock: Readonly<Record<string, LockedPackage>>,
): readonly Component[] {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].sort().map((folder) => componentAt(folder, lock))
}

export function componentAt(folder: string, lock: Readonly<Record<string, LockedPackage>>): Component {
  const { version, license, integrity } = lock[folder] ?? {}
  if (version === undefined || license === undefined || integrity === undefined) {
    throw new Error(`package-lock.json has no version, licence or integrity of ${folder}`)
  }
  const name = folder.replace(/^.*node_modules\//, '')
  return { name, version, licence: license, integrity, folder }
}
