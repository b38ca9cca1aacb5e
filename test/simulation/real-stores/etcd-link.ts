import { connect, createServer, type Server, type Socket } from 'node:net'
import { nodeClock } from '@strata/world/node'
import { Http2Tally } from './http2-tally.ts'

/** After its last sign of life a connection that opens or closes is given so much real time. */
const graceMs = 10

interface Pair {
  readonly client: Socket
  readonly server: Socket
  readonly tally: Http2Tally
  readonly heldRequests: Buffer[]
  readonly heldAnswers: Buffer[]
}

/** A TCP proxy between one process and etcd that can hold back either direction, and cut. */
export class EtcdLink {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #port = 0
  #holds: { readonly requests: boolean; readonly answers: boolean } = { requests: false, answers: false }
  #stirredMs = nodeClock.monotonicMs()

  private constructor(targetPort: number) {
    this.#server = createServer((client) => this.#accept(client, targetPort))
  }

  static async open(targetPort: number): Promise<EtcdLink> {
    const link = new EtcdLink(targetPort)
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve))
    const address = link.#server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    link.#port = address.port
    return link
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /**
   * Whether the other end will say something without any simulated time passing: it has been asked and nothing is held
   * back, or a connection is just being made or lost.
   */
  get isAlive(): boolean {
    if (nodeClock.monotonicMs() - this.#stirredMs < graceMs) return true
    return [...this.#pairs].some((pair) => pair.tally.unanswered > 0 && !this.#isHeldBack(pair))
  }

  /** Whether a ping, or the first greeting, is on its way: the adapter counts simulated time until it is answered. */
  get owesAcknowledgement(): boolean {
    return [...this.#pairs].some((pair) => pair.tally.unacknowledged > 0 && !this.#isHeldBack(pair))
  }

  /** Whether a watch can tell anything. */
  get isSilent(): boolean {
    return this.#pairs.size === 0 || this.#holds.answers || this.#holds.requests
  }

  get isHolding(): boolean {
    return this.#holds.answers || this.#holds.requests
  }

  /** Requests that are held never arrive until they are let go; answers that are held were acted upon. */
  hold(what: 'requests' | 'answers' | 'both'): void {
    this.#holds = { requests: what !== 'answers', answers: what !== 'requests' }
  }

  letGo(): void {
    this.#holds = { requests: false, answers: false }
    for (const pair of this.#pairs) {
      for (const chunk of pair.heldRequests.splice(0)) pair.server.write(chunk)
      for (const chunk of pair.heldAnswers.splice(0)) this.#answer(pair, chunk)
    }
    this.stir()
  }

  /** What is held back is lost with the connection. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    this.stir()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Something real is going on, or will at once. */
  stir(): void {
    this.#stirredMs = nodeClock.monotonicMs()
  }

  #answer({ client, tally }: Pair, chunk: Buffer): void {
    this.stir()
    tally.answer(chunk)
    client.write(chunk)
  }

  #isHeldBack({ heldRequests, heldAnswers }: Pair): boolean {
    if (this.#holds.requests && heldRequests.length > 0) return true
    // Until the answer is here, it is etcd that is waited for.
    return this.#holds.answers && heldAnswers.length > 0
  }

  #accept(client: Socket, targetPort: number): void {
    const server = connect(targetPort, '127.0.0.1')
    client.setNoDelay(true)
    server.setNoDelay(true)
    const pair: Pair = { client, server, tally: new Http2Tally(), heldRequests: [], heldAnswers: [] }
    this.#pairs.add(pair)
    this.stir()
    client.on('data', (chunk: Buffer) => {
      pair.tally.request(chunk)
      if (this.#holds.requests) pair.heldRequests.push(chunk)
      else server.write(chunk)
    })
    server.on('data', (chunk: Buffer) => {
      if (this.#holds.answers) pair.heldAnswers.push(chunk)
      else this.#answer(pair, chunk)
    })
    const end = (): void => {
      client.destroy()
      server.destroy()
      if (this.#pairs.delete(pair)) this.stir()
    }
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
  }
}
