import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'

/** A connection on which every byte is ours: for requests that no library would send. */
export class RawConnection {
  readonly socket: TLSSocket
  #received = ''
  readonly closed: Promise<void>

  private constructor(socket: TLSSocket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#received += text
    })
    // The other side may be rude about it.
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()))
  }

  static async open(port: number, ca: string): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] })
    await once(socket, 'secureConnect')
    return new RawConnection(socket)
  }

  get received(): string {
    return this.#received
  }

  get isClosed(): boolean {
    return this.socket.destroyed
  }

  /** The status codes of what has been answered so far. */
  get statuses(): readonly number[] {
    return [...this.#received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code))
  }

  write(text: string): void {
    if (!this.socket.destroyed) this.socket.write(text, 'latin1')
  }

  close(): void {
    this.socket.destroy()
  }
}
