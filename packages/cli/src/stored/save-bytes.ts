import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredBytes } from './stored-bytes.ts'
import { syncPath, writeWhole } from './write-to-disk.ts'

/** Where bytes were saved, and how the file can be checked. */
export interface SavedBytes {
  readonly file: string
  readonly key: string
  readonly revision: number
  readonly size: number
  readonly sha256: string
}

/**
 * Writes raw bytes to a file that only this user reads, and returns when they are on the disk: the next request may remove the
 * only other copy. The file is named for its key and revision, so another run finds the same one.
 */
export function saveBytes(directory: string, { key, value, revision }: StoredBytes): SavedBytes {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, `${key.replace(/^\/+/, '').replaceAll(/[^\w.-]+/g, '_')}.${revision}.bin`)
  write(file, value)
  syncPath(directory)
  const saved = readFileSync(file)
  if (!saved.equals(value)) throw new Error(`${file} has other bytes than were written to it`)
  const sha256 = createHash('sha256').update(saved).digest('hex')
  return { file, key, revision, size: value.length, sha256 }
}

function write(path: string, value: Uint8Array): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    // Of an earlier run. Never written over: if it has other bytes, they may be the only copy of something else.
    if (Buffer.compare(readFileSync(path), value) === 0) return syncPath(path)
    throw new Error(`${path} exists and has other bytes: move it, or name another directory with --save-to`)
  }
  try {
    writeWhole(file, value)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
