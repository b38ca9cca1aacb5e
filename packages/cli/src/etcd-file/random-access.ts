import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** A file that is read piece by piece, so that its size does not matter. */
export interface RandomAccess {
  readonly size: number
  /** Exactly these bytes, or fewer at the end of the file. In the given buffer, if it is long enough. */
  read(offset: number, length: number, into?: Buffer): Buffer
  close(): void
}

/** Without locking it: etcd may have it open. */
export function openRandomAccess(path: string): RandomAccess {
  const file = openSync(path, 'r')
  return {
    size: fstatSync(file).size,
    read: (offset, length, into) => {
      const bytes = into && into.length >= length ? into.subarray(0, length) : Buffer.allocUnsafeSlow(length)
      let filled = 0
      while (filled < length) {
        const count = readSync(file, bytes, filled, length - filled, offset + filled)
        if (count === 0) return bytes.subarray(0, filled)
        filled += count
      }
      return bytes
    },
    close: () => closeSync(file),
  }
}

/** The same over bytes in memory. */
export function randomAccessOf(bytes: Buffer): RandomAccess {
  return {
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    close: () => {},
  }
}
