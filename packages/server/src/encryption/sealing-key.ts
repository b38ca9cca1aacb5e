import type { Key } from '../store/index.ts'
import type { KeyId } from './key-id.ts'

/** The plain value of stored bytes, and the key they were under. */
export interface Opened {
  readonly value: Uint8Array
  readonly under: KeyId
}

/** Opens stored bytes that begin with its prefix. */
export interface KeyReader {
  readonly prefix: Buffer
  /**
   * Opens the bytes after the prefix. Some ciphers authenticate `path`, the place of storage: bytes that were moved to another
   * place cannot be opened. Throws `CannotOpen`.
   */
  open(body: Buffer, path: Key): Opened | Promise<Opened>
}

export interface KeyWriter {
  readonly id: KeyId
  /** The bytes to store, with the prefix. */
  seal(plain: Uint8Array, path: Key): Uint8Array
}

/** A configured key, which does both. */
export interface SealingKey extends KeyReader, KeyWriter {}

/** Stored bytes that cannot be opened, and why. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
  /** A later attempt may succeed: a KMS did not answer. */
  readonly isPassing: boolean
  constructor(message: string, options: ErrorOptions & { readonly isPassing?: boolean } = {}) {
    super(message, options)
    this.isPassing = options.isPassing === true
  }
}

export function prefixOf(provider: string, name: string): Buffer {
  return Buffer.from(`k8s:enc:${provider}:v1:${name}:`)
}
