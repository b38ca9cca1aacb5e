import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

/** One write may take only a part, for example as the disk fills up; only the next one throws then. */
export function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** A file that was just created is only found after a power failure if its directory was synced too. */
export function syncPath(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
