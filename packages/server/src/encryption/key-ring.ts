import { isSealed } from '../codec/index.ts'
import type { Key } from '../store/index.ts'
import { identityKey, type KeyId } from './key-id.ts'
import { CannotOpen, type KeyReader, type KeyWriter, type Opened } from './sealing-key.ts'

/** An active provider of the configuration: the keys it reads with, and those it can write with now. */
export interface Provider {
  readonly readers: readonly KeyReader[]
  /** The preferred one first. Empty while a KMS has not answered yet. */
  readonly writers: readonly KeyWriter[]
  /** The keys it reads, for other servers. */
  readonly readable: readonly KeyId[]
}

/** Clear text: no key at all. */
export const plainProvider: Provider = {
  readers: [],
  writers: [{ id: identityKey, seal: (plain) => plain }],
  readable: [identityKey],
}

/** Opens and seals the objects of one resource. */
export class KeyRing {
  readonly #providers: readonly Provider[]
  readonly #readsPlain: boolean
  /** Providers of the previous configuration, while they may still be needed. */
  #retired: readonly Provider[] = []

  constructor(providers: readonly Provider[]) {
    this.#providers = providers
    this.#readsPlain = providers.includes(plainProvider)
  }

  /** The key that the first provider writes with; undefined while it cannot. */
  get preferred(): KeyId | undefined {
    return this.#providers[0]?.writers[0]?.id
  }

  /** All keys that can be written with, in the order of the configuration; retired ones last. */
  get writable(): readonly KeyId[] {
    return this.#all.flatMap(({ writers }) => writers.map(({ id }) => id))
  }

  /** In the order of the configuration, each once. */
  get readable(): readonly KeyId[] {
    return [...new Set(this.#providers.flatMap(({ readable }) => readable))]
  }

  get retired(): readonly KeyId[] {
    const { readable } = this
    const held = this.#retired.flatMap((each) => each.readable)
    return [...new Set(held)].filter((key) => !readable.includes(key))
  }

  /** Takes over the keys of the previous ring that this one lacks. */
  keep(before: KeyRing): void {
    const { readable } = this
    this.#retired = before.#all.filter((each) => !each.readable.every((key) => readable.includes(key)))
  }

  forgetBut(readable: readonly KeyId[]): void {
    if (this.#retired.length === 0) return
    this.#retired = this.#retired.filter((each) => each.readable.some((key) => readable.includes(key)))
  }

  seal(under: KeyId, plain: Uint8Array, path: Key): Uint8Array {
    if (under === identityKey) return plain
    for (const { writers } of this.#all) {
      const writer = writers.find(({ id }) => id === under)
      if (writer) return writer.seal(plain, path)
    }
    throw new CannotOpen(`there is no key ${under} to write with`, { isPassing: true })
  }

  /**
   * Opens with the first key that fits: several may have the same name, one that seals from now on and one that sealed until now.
   * Asynchronous only if a KMS must be called. Throws `CannotOpen`.
   */
  open(stored: Uint8Array, path: Key): Opened | Promise<Opened> {
    if (!isSealed(stored)) {
      if (this.#readsPlain || this.#retired.includes(plainProvider))
        return { value: stored, under: identityKey }
      throw new CannotOpen('it is not encrypted, and the provider identity is not configured')
    }
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
    const readers = this.#all.flatMap((each) => each.readers).filter(({ prefix }) => begins(bytes, prefix))
    return openWithAny(readers, bytes, path, [])
  }

  get #all(): readonly Provider[] {
    return this.#retired.length === 0 ? this.#providers : [...this.#providers, ...this.#retired]
  }
}

function openWithAny(
  readers: readonly KeyReader[],
  stored: Buffer,
  path: Key,
  failures: readonly CannotOpen[],
): Opened | Promise<Opened> {
  for (const [index, { prefix, open }] of readers.entries()) {
    const rest = readers.slice(index + 1)
    const failed = (error: unknown): readonly CannotOpen[] => [...failures, asCannotOpen(error)]
    try {
      const opened = open(stored.subarray(prefix.length), path)
      if (!(opened instanceof Promise)) return opened
      return opened.catch((error: unknown) => openWithAny(rest, stored, path, failed(error)))
    } catch (error) {
      return openWithAny(rest, stored, path, failed(error))
    }
  }
  if (failures.length === 0) throw new CannotOpen('no matching key found: none of that name is configured')
  const why = [...new Set(failures.map(({ message }) => message))].join('; ')
  throw new CannotOpen(why, { isPassing: failures.some(({ isPassing }) => isPassing), cause: failures[0] })
}

function asCannotOpen(error: unknown): CannotOpen {
  if (error instanceof CannotOpen) return error
  return new CannotOpen(error instanceof Error ? error.message : String(error), { cause: error })
}

function begins(stored: Buffer, prefix: Buffer): boolean {
  return stored.length >= prefix.length && stored.subarray(0, prefix.length).equals(prefix)
}
