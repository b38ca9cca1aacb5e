import { constants, readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Cancel, type Clock, type Log, type Random, sleep } from '@strata/world'
import { StoreUnavailable } from '../../errors.ts'
import { beatsUntilGone, decideAlive, decideHosts, type HostEntry } from './decide-hosts.ts'

export interface HostsOptions {
  /** The path of the database. */
  readonly path: string
  /** Identifies the machine. */
  readonly host?: string | undefined
  readonly beatMs?: number | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** All beats of a process have the same number of digits. */
const firstBeat = 1_000_000_000
/** How often a suspect is checked. */
const lookMs = 100

/**
 * Detects that another host has the same file open over a network file system: SQLite cannot share a store between hosts. Every
 * process writes an entry of its own into a directory beside the file, and renews it every few seconds.
 */
export class Hosts {
  readonly #options: HostsOptions
  readonly #directory: string
  readonly #host: string
  readonly #beatMs: number
  readonly #name: string
  #beat = firstBeat
  #cancel: Cancel = () => {}
  #closed = false
  #seen: readonly HostEntry[] = []
  readonly #reported = new Set<string>()

  private constructor(options: HostsOptions) {
    this.#options = options
    this.#directory = `${options.path}.hosts`
    this.#host = options.host ?? bootId()
    this.#beatMs = options.beatMs ?? 5_000
    this.#name = Buffer.from(options.random.bytes(6)).toString('hex')
  }

  /** Throws `StoreUnavailable` if another host has the store open. */
  static async open(options: HostsOptions): Promise<Hosts> {
    const hosts = new Hosts(options)
    try {
      await mkdir(hosts.#directory, { recursive: true, mode: 0o700 })
      // First write, then look: if two processes start at once, at least one sees the other.
      await hosts.#write()
    } catch (error) {
      // A full disk must not keep a server from serving reads.
      options.log.warn('cannot mark the store as in use by this host', { error: String(error) })
      return hosts
    }
    hosts.#next()
    try {
      await hosts.#refuseOthers()
      return hosts
    } catch (error) {
      await hosts.close()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancel()
    await rm(this.#file, { force: true }).catch(() => {})
  }

  get #file(): string {
    return join(this.#directory, this.#name)
  }

  async #refuseOthers(): Promise<void> {
    const { path, clock, log } = this.#options
    const { suspects, forgotten } = decideHosts(this.#host, await this.#entries(), this.#beatMs)
    for (const { name } of forgotten) await rm(join(this.#directory, name), { force: true })
    if (suspects.length === 0) return
    const names = namesOf(suspects)
    log.info('waiting to see whether another host still uses the store', { path, hosts: names })
    for (let waitedMs = 0; waitedMs < beatsUntilGone * this.#beatMs; waitedMs += lookMs) {
      await sleep(clock, lookMs)
      const alive = decideAlive(suspects, await this.#entries())
      if (alive.length > 0) throw new StoreUnavailable(sharedBy(path, alive))
    }
  }

  #next(): void {
    this.#cancel = this.#options.clock.after(this.#beatMs, () => void this.#turn())
  }

  /** The next beat makes up for one that fails. */
  async #turn(): Promise<void> {
    const { path, log } = this.#options
    try {
      await this.#write()
      const others = (await this.#entries()).filter(({ host }) => host !== this.#host)
      const alive = decideAlive(this.#seen, others).filter(({ host }) => !this.#reported.has(host))
      this.#seen = others
      for (const { host } of alive) this.#reported.add(host)
      if (alive.length > 0) log.error(sharedBy(path, alive))
    } catch (error) {
      log.debug('cannot check whether other hosts use the store', { error: String(error) })
    }
    if (this.#closed) await rm(this.#file, { force: true }).catch(() => {})
    else this.#next()
  }

  /** Overwrites the entry with one of equal length: a concurrent reader sees either entry, never none. */
  async #write(): Promise<void> {
    const file = await open(this.#file, constants.O_CREAT | constants.O_WRONLY, 0o600)
    try {
      const entry = { host: this.#host, hostname: hostname(), beat: ++this.#beat }
      await file.write(JSON.stringify(entry), 0)
    } finally {
      await file.close()
    }
  }

  async #entries(): Promise<HostEntry[]> {
    const { mtimeMs: ownMs } = await stat(this.#file)
    const names = (await readdir(this.#directory)).filter((name) => name !== this.#name)
    const entries = await Promise.all(
      names.map((name) => readEntry(join(this.#directory, name), name, ownMs)),
    )
    return entries.filter((entry) => entry !== undefined)
  }
}

/** Undefined if the entry is gone, or is just being written. */
async function readEntry(path: string, name: string, ownMs: number): Promise<HostEntry | undefined> {
  try {
    const { mtimeMs } = await stat(path)
    const { host, hostname: shown, beat } = JSON.parse(await readFile(path, 'utf8')) as Partial<HostEntry>
    if (typeof host !== 'string' || typeof shown !== 'string' || typeof beat !== 'number') return undefined
    return { name, host, hostname: shown, beat, ageMs: ownMs - mtimeMs }
  } catch {
    return undefined
  }
}

const namesOf = (entries: readonly HostEntry[]): string =>
  [...new Set(entries.map((entry) => entry.hostname))].sort().join(', ')

const sharedBy = (path: string, alive: readonly HostEntry[]): string =>
  `${path} is in use on another host (${namesOf(alive)}): SQLite cannot share a store between hosts, and would damage it. Stop the servers there, or use etcd (--etcd-servers)`

/** Equal in all containers of a machine. Off Linux, the host name is used. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return hostname()
  }
}
