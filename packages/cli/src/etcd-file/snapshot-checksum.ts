import { createHash } from 'node:crypto'
import type { RandomAccess } from './random-access.ts'

/**
 * `matches`: the file is what etcd sent. `missing`: no checksum at its end, so it is a member's db file, or a copy of one.
 * `wrong`: the file was changed or damaged after it was written.
 */
export type SnapshotChecksum = 'matches' | 'missing' | 'wrong'

const hashBytes = 32
/** A database is a multiple of this, so what is left over is the checksum. */
const sector = 512
const stepBytes = 1 << 20

/** "etcdctl snapshot save" writes the SHA-256 of the database behind it. */
export function checkSnapshot(file: RandomAccess): SnapshotChecksum {
  if (file.size % sector !== hashBytes) return 'missing'
  const end = file.size - hashBytes
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(stepBytes)
  for (let at = 0; at < end; at += stepBytes)
    hash.update(file.read(at, Math.min(stepBytes, end - at), buffer))
  return hash.digest().equals(file.read(end, hashBytes)) ? 'matches' : 'wrong'
}
