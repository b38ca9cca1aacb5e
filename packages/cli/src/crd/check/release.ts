import { basename, resolve } from 'node:path'
import type { CrdDocument } from '../documents/index.ts'

/** The CRDs of one release. */
export interface Release {
  /** A short name for readers: `v1.15.19` */
  readonly name: string
  readonly crds: ReadonlyMap<string, CrdDocument>
}

export function toRelease(name: string, documents: readonly CrdDocument[]): Release {
  return { name, crds: new Map(documents.map((each) => [each.name, each])) }
}

/** The last part of each path, if that tells them apart; else the paths as they were given. */
export function releaseNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => basename(resolve(path)))
  return new Set(names).size === names.length ? names : paths
}
