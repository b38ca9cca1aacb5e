import type { Key } from '../store/index.ts'
import type { KeyId } from './key-id.ts'

/** What stored bytes say, and under which key they said it. */
export interface Opened {
  readonly value: Uint8Array
  readonly under: KeyId
}

/** Opens stored bytes that begin with its prefix. */
export interface KeyReader {
  readonly prefix: Buffer
  /**
   * What follows the prefix; `path` is where it is stored, which some ciphers take into account: bytes that were moved to
   * another place cannot be opened. Throws `CannotOpen`.
   */
  open(body: Buffer, path: Key): Opened | Promise<Opened>
}

export interface KeyWriter {
  readonly id: KeyId
  /** The bytes to store, with the prefix. */
  seal(plain: Uint8Array, path: Key): Uint8Array
}

/** A key of the configuration, which does both. */
export interface SealingKey extends KeyReader, KeyWriter {}

/** Stored bytes that cannot be opened, and why. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
  /** It may well be possible later, as it is: somebody did not answer. */
  readonly isPassing: boolean
  constructor(message: string, options: ErrorOptions & { readonly isPassing?: boolean } = {}) {
    super(message, options)
    this.isPassing = options.isPassing === true
  }
}

export function prefixOf(provider: string, name: string): Buffer {
  return Buffer.from(`k8s:enc:${provider}:v1:${name}:`)
}
