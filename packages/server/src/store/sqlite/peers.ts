import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log, Random } from '@strata/world'

/** The name of a Unix socket has to fit into 108 bytes, the closing zero included. */
const longestSocketPath = 104

export interface PeersOptions {
  /** The path of the database, without symbolic links: all processes must meet in the same place. */
  readonly path: string
  readonly random: Random
  readonly log: Log
  /** Called when another process has written. */
  readonly onPing: () => void
}

/**
 * The processes that have the same file open, and notify each other of writes. A ping says only "look": the changes are in the
 * file. So a ping that is lost, doubled or forged costs a delay or a read, never a change; and the slow poll of the store makes
 * up for the lost ones.
 */
export class Peers {
  readonly #options: PeersOptions
  readonly #directory: string
  readonly #name: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** The names of the processes that this one has connected to. */
  readonly #known = new Set<string>()
  #closed: boolean = false

  private constructor(options: PeersOptions) {
    this.#options = options
    this.#directory = peerDirectory(options.path)
    this.#name = `${Buffer.from(options.random.bytes(6)).toString('hex')}.sock`
    this.#server = createServer((socket) => {
      this.#adopt(socket)
      // It may have read before our last write, while it was connecting and we did not know it.
      socket.write('!')
    })
  }

  static async open(options: PeersOptions): Promise<Peers> {
    const peers = new Peers(options)
    try {
      await peers.#listen()
      // Listen first, then discover: if two processes start at once, at least one sees the other.
      peers.discover()
    } catch (error) {
      options.log.warn(
        'cannot exchange notifications with other processes of this store: each process may see the changes of the others late',
        { error: String(error) },
      )
    }
    return peers
  }

  /** Notifies all other processes of a write. */
  ping(): void {
    for (const socket of this.#sockets) {
      // A process that has not read the last ping will look anyway. Without this test we would buffer a ping per commit for a
      // frozen process.
      if (socket.writableLength === 0) socket.write('!')
    }
  }

  /** Connects to new processes, and removes the sockets of dead ones. */
  discover(): void {
    if (this.#closed) return
    for (const name of this.#names()) {
      if (!name.endsWith('.sock') || name === this.#name || this.#known.has(name)) continue
      this.#known.add(name)
      this.#connect(name)
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#directory)
    } catch (error) {
      this.#options.log.debug('cannot look for other processes of this store', { error: String(error) })
      return []
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const socket of this.#sockets) socket.destroy()
    rmSync(join(this.#directory, this.#name), { force: true })
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  #listen(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    // Under another name first: between its creation and our listening a socket looks like that of a dead process, and a process
    // that starts right then would remove it.
    const early = join(this.#directory, `${this.#name}.new`)
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ path: early, exclusive: true }, () => {
        this.#server.off('error', reject)
        this.#server.on('error', (error) =>
          this.#options.log.warn('the connection to another process of this store failed', {
            error: String(error),
          }),
        )
        try {
          renameSync(early, join(this.#directory, this.#name))
          resolve()
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #connect(name: string): void {
    const path = join(this.#directory, name)
    const socket = connect({ path })
    socket.once('close', () => this.#known.delete(name))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') rmSync(path, { force: true })
    })
    this.#adopt(socket)
  }

  #adopt(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('data', () => this.#options.onPing())
    // The end of another process is not an error.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#closed) socket.destroy()
  }
}

/** Beside the database or, if that path is too long for a socket, in the system's temporary directory. */
export function peerDirectory(path: string): string {
  const beside = `${path}.peers`
  if (Buffer.byteLength(join(beside, '0123456789ab.sock.new')) <= longestSocketPath) return beside
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `strata-${hash}.peers`)
}
