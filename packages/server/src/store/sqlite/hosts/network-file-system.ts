import { statfsSync } from 'node:fs'

/** File systems by their number in Linux (statfs(2)). */
const names: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01021997, '9P'],
])

/** The network file system that the directory lies on. Undefined for a local disk, and off Linux. */
export function networkFileSystem(directory: string, typeOf = statType): string | undefined {
  // Older kernels report a signed number.
  return names.get(typeOf(directory) >>> 0)
}

const statType = (directory: string): number =>
  process.platform === 'linux' ? statfsSync(directory).type : 0
