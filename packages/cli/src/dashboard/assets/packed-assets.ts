import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'

/** A file of the dashboard as it is kept in the program: compressed, as base64. */
export interface PackedAsset {
  readonly type: string
  readonly brotli: string
  readonly gzip: string
}

/** By path below `/dashboard/`. */
export type PackedAssets = Readonly<Record<string, PackedAsset>>

/** A file in the encodings in which it can be sent. */
export interface Asset {
  readonly type: string
  readonly identity: Uint8Array
  readonly br: Uint8Array
  readonly gzip: Uint8Array
  /** Of the content, for entity tags. */
  readonly digest: string
}

export type Assets = ReadonlyMap<string, Asset>

export function unpackAssets(packed: PackedAssets): Assets {
  const unpack = ({ type, brotli, gzip }: PackedAsset): Asset => {
    const br = Buffer.from(brotli, 'base64')
    const identity = brotliDecompressSync(br)
    const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16)
    return { type, br, gzip: Buffer.from(gzip, 'base64'), identity, digest }
  }
  return new Map(Object.entries(packed).map(([path, each]) => [path, unpack(each)]))
}
