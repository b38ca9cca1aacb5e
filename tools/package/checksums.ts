import { createHash } from 'node:crypto'

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** What `sha256sum --check` reads. */
export const renderChecksums = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`)
    .join('')
