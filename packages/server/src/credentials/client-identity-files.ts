import { sleep, type World } from '@strata/world'
import { type ClientIdentity, readClientIdentity } from '../configuration/index.ts'

/** The files are polled: this also notices files that are replaced through links, on every file system. */
const pollMs = 1_000

type NamedFile = readonly [flag: string, path: string | undefined]

/** A client certificate and its key, kept up to date: certificates are renewed without a restart. */
export class ClientIdentityFiles {
  readonly #files: readonly [NamedFile, NamedFile]
  readonly #world: Pick<World, 'clock' | 'log'>
  #identity: ClientIdentity
  /** What was found once so far: the two files are not written at the same moment. */
  #seenOnce: string | undefined
  /** The problem of the files as they are now. Logged once. */
  #problem: string | undefined
  onChange: (identity: ClientIdentity) => void = () => {}

  private constructor(
    files: readonly [NamedFile, NamedFile],
    identity: ClientIdentity,
    world: Pick<World, 'clock' | 'log'>,
  ) {
    this.#files = files
    this.#identity = identity
    this.#world = world
  }

  /** Undefined if neither file is given. */
  static async open(
    files: readonly [cert: NamedFile, key: NamedFile],
    world: Pick<World, 'clock' | 'log'>,
  ): Promise<ClientIdentityFiles | undefined> {
    const identity = await readClientIdentity(...files)
    return identity && new ClientIdentityFiles(files, identity, world)
  }

  get identity(): ClientIdentity {
    return this.#identity
  }

  /** Follows the files until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#world.clock, pollMs, signal).catch(() => {})
      if (!signal.aborted) await this.look()
    }
  }

  /** A pair counts once it was read twice in a row. Files that cannot be used change nothing. */
  async look(): Promise<void> {
    const read = await readClientIdentity(...this.#files).catch((error: unknown) => error)
    const found = isIdentity(read) ? `${read.cert}\n${read.key}` : String(read)
    const isSettled = found === this.#seenOnce
    this.#seenOnce = found
    if (!isSettled) return
    if (isIdentity(read)) this.#take(read)
    else this.#report(read instanceof Error ? read.message : String(read))
  }

  #take(identity: ClientIdentity): void {
    this.#problem = undefined
    if (identity.cert === this.#identity.cert && identity.key === this.#identity.key) return
    this.#identity = identity
    this.onChange(identity)
    this.#world.log.info('client certificate reloaded', { file: this.#files[0][1] })
  }

  #report(problem: string): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#world.log.error('client certificate reload failed; the previous one stays in use', { problem })
  }
}

const isIdentity = (value: unknown): value is ClientIdentity =>
  typeof value === 'object' && value !== null && 'cert' in value
