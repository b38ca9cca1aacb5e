import { isSealed } from '../codec/index.ts'
import type { Key } from '../store/index.ts'
import { identityKey, type KeyId } from './key-id.ts'
import { CannotOpen, type KeyReader, type KeyWriter, type Opened } from './sealing-key.ts'

/** A provider of the configuration, in force: the keys it reads with, and those it can write with now. */
export interface Provider {
  readonly readers: readonly KeyReader[]
  /** The first is the one that it prefers. None while a KMS has not answered yet. */
  readonly writers: readonly KeyWriter[]
  /** What it reads, for others to know. */
  readonly readable: readonly KeyId[]
}

/** As it is: no key at all. */
export const plainProvider: Provider = {
  readers: [],
  writers: [{ id: identityKey, seal: (plain) => plain }],
  readable: [identityKey],
}

/** What opens and seals the objects of one resource. */
export class KeyRing {
  readonly #providers: readonly Provider[]
  readonly #readsPlain: boolean
  /** Of the configuration before, while somebody may still need them. */
  #retired: readonly Provider[] = []

  constructor(providers: readonly Provider[]) {
    this.#providers = providers
    this.#readsPlain = providers.includes(plainProvider)
  }

  /** What the first provider writes under; undefined while it cannot. */
  get preferred(): KeyId | undefined {
    return this.#providers[0]?.writers[0]?.id
  }

  /** Everything that can be written under, in the order of the configuration. */
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

  /** Takes over what the ring before can open and this one cannot. */
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
   * The first key that opens it: several may have the same name, of which one seals from now on and one has sealed until
   * now. Waits only where somebody else has to be asked. Throws `CannotOpen`.
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
