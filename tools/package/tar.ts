import { gzipSync } from 'node:zlib'

export interface TarEntry {
  /** Relative, with slashes. */
  readonly path: string
  /** Undefined for a folder or a link. */
  readonly content?: Uint8Array
  /** Where a symbolic link leads. */
  readonly link?: string
  readonly mode?: number
  /** A user and group by number; root if absent. */
  readonly owner?: number
}

const BLOCK = 512

/** An archive whose bytes depend on nothing but its entries: sorted by path, dated 1970. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const blocks = sorted.flatMap((entry) => {
    const { content = new Uint8Array() } = entry
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
    return [header(entry, content.length), content, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** Gzip as quickly as is reasonable, with a header that names neither a time nor a system. */
export function compress(bytes: Uint8Array): Buffer {
  const compressed = gzipSync(bytes, { level: 6 })
  compressed[OPERATING_SYSTEM] = UNKNOWN
  return compressed
}
const OPERATING_SYSTEM = 9
const UNKNOWN = 255

function header(entry: TarEntry, size: number): Buffer {
  const isFolder = entry.content === undefined && entry.link === undefined
  const block = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(isFolder ? `${entry.path}/` : entry.path)
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0')
  block.write(name, 0)
  block.write(octal(entry.mode ?? (isFolder ? 0o755 : entry.link === undefined ? 0o644 : 0o777), 8), 100)
  block.write(octal(entry.owner ?? 0, 8), 108)
  block.write(octal(entry.owner ?? 0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(0, 12), 136)
  block.write(' '.repeat(8), 148)
  block.write(isFolder ? '5' : entry.link === undefined ? '0' : '2', 156)
  block.write(entry.link ?? '', 157)
  block.write('ustar\x0000', 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 7)}\0 `, 148)
  return block
}

/** The format has 100 bytes for the name, and 155 for folders before it. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  const cut = path.indexOf('/', path.length - 101)
  if (cut <= 0 || cut > 155) throw new Error(`the path is too long for an archive: ${path}`)
  return [path.slice(0, cut), path.slice(cut + 1)]
}
