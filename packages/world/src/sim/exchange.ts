import type { Cancel } from '../clock.ts'
import { chance } from '../random.ts'
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../transport.ts'
import { ClientSide } from './client-side.ts'
import type { NetworkFaults } from './network-faults.ts'
import { Pipe } from './pipe.ts'
import type { SimRandom } from './prng.ts'
import { type Downstream, ServerSide } from './server-side.ts'
import type { SimProcess } from './sim-process.ts'

export interface Listener {
  readonly process: SimProcess
  readonly server: Transport
}

/** The network, as an exchange uses it. */
export interface Medium {
  readonly random: SimRandom
  faults(): NetworkFaults
  /** The live listener under this name, if there is one. */
  listener(name: string): Listener | undefined
  /** Names the cut on this way, if there is one. */
  findCut(from: readonly string[], to: readonly string[]): number | undefined
  /** After the random delay of one message. */
  travel(label: string, callback: () => void): void
  schedule(delayMs: number, label: string, callback: () => void): Cancel
  closed(exchange: Exchange): void
}

/** One request and its answer on a connection of its own: two pipes and a half at each end. */
export class Exchange {
  readonly #medium: Medium
  readonly #to: string
  readonly #request: HttpRequest
  readonly #title: string
  readonly #window: number
  readonly #client: ClientSide
  readonly #up: Pipe
  readonly #down: Pipe
  readonly #forget: Cancel[] = []
  #server: ServerSide | undefined
  #closed: boolean = false

  constructor(medium: Medium, from: SimProcess, to: string, request: HttpRequest) {
    this.#medium = medium
    this.#to = to
    this.#request = request
    this.#title = `${from.id} → ${to} ${request.method} ${request.target}`
    this.#window = medium.faults().windowChunks
    const pipe = (direction: 'up' | 'down'): Pipe =>
      new Pipe({
        schedule: (label, callback) => medium.travel(`${this.#title} ${label}`, callback),
        isCut: () => this.#cut(direction) !== undefined,
      })
    this.#up = pipe('up')
    this.#down = pipe('down')
    const upstream = {
      credit: () => this.#toServer('credit', (server) => server.addCredit()),
      close: (how: 'complete' | 'early') => {
        if (how === 'complete') this.#close()
        else this.#up.send('abort', () => this.#stopServer('the client has gone away'))
      },
    }
    this.#client = new ClientSide(from, request.signal, upstream, this.#window)
    this.#forget.push(from.onCrash(() => this.#client.abandon()))
  }

  start(): Promise<HttpResponse> {
    if (this.#isDropped()) this.#lose('request', this.#up)
    else this.#up.send('request', () => this.#arrive())
    this.watchPartition()
    return this.#client.answer
  }

  /** If the way is cut now and stays so, the connection breaks. Called at the start and at each cut. */
  watchPartition(): void {
    const ways = (['up', 'down'] as const).map((way) => ({ way, cut: this.#cut(way) }))
    if (this.#closed || ways.every(({ cut }) => cut === undefined)) return
    const check = (): void => {
      const lasts = ways.some(({ way, cut }) => cut !== undefined && this.#cut(way) === cut)
      // A request that has not arrived never will, so the simulation knows what a real client could only guess.
      if (lasts) this.#break('no route to host', this.#server ? 'unknown' : 'no')
    }
    const { partitionTimeoutMs } = this.#medium.faults()
    this.#forget.push(this.#medium.schedule(partitionTimeoutMs, `${this.#title} cut off`, check))
  }

  /** Sends what has waited, if the partition has healed. */
  flush(): void {
    this.#up.flush()
    this.#down.flush()
  }

  #arrive(): void {
    const listener = this.#medium.listener(this.#to)
    if (!listener) {
      this.#down.send('refused', () => this.#failClient('connection refused', 'no'))
      return
    }
    const { process, server } = listener
    const serverSide = new ServerSide(process, server, this.#downstream(process), this.#window)
    this.#server = serverSide
    const reset = (): void => this.#down.send('reset', () => this.#failClient('connection reset', 'unknown'))
    this.#forget.push(process.onCrash(reset))
    process.receive(this.#title, () => void serverSide.serve(this.#copyRequest()))
    if (isIdempotent(this.#request.method) && chance(this.#medium.random, this.#medium.faults().repeatRate)) {
      this.#repeat(listener)
    }
  }

  /** A second copy of the request, whose response is discarded. */
  #repeat({ process, server }: Listener): void {
    const ignore = (): void => {}
    const head = (): void => copy.stop(new Error('the response to a repeated request is discarded'))
    const copy = new ServerSide(process, server, { head, chunk: ignore, end: ignore, reset: ignore }, 0)
    const label = `${this.#title} repeated`
    this.#medium.travel(label, () => process.receive(label, () => void copy.serve(this.#copyRequest())))
  }

  /** Copies, here and below: two processes never share memory. */
  #copyRequest(): Omit<HttpRequest, 'signal'> {
    const { method, target, headers, body } = this.#request
    return { method, target, headers: { ...headers }, ...(body ? { body: body.slice() } : {}) }
  }

  #downstream(process: SimProcess): Downstream {
    const client = this.#client
    const send = (label: string, deliver: () => void): void => {
      // A crashed process sends nothing, not even in the rest of its last turn.
      if (process.crashed) return
      if (this.#isDropped()) this.#lose(label, this.#down)
      else this.#down.send(label, () => client.process.receive(`${this.#title} ${label}`, deliver))
    }
    return {
      head: ({ status, headers, body }) => {
        const copy = { status, headers, body: body instanceof Uint8Array ? body.slice() : body }
        send(`answer ${status}`, () => client.head(copy))
      },
      chunk: (bytes) => {
        const copy = bytes.slice()
        send('chunk', () => client.chunk(copy))
      },
      end: () => send('end', () => client.end()),
      reset: (cause) =>
        send('reset', () => client.fail(new TransportError('connection reset', 'unknown', { cause }))),
    }
  }

  #toServer(label: string, deliver: (server: ServerSide) => void): void {
    this.#up.send(label, () => {
      const server = this.#server
      server?.process.receive(`${this.#title} ${label}`, () => deliver(server))
    })
  }

  /** The network cannot lose one message of a connection without losing the connection. */
  #lose(label: string, pipe: Pipe): void {
    pipe.shut()
    this.#medium.travel(`${this.#title} ${label} lost`, () => this.#break('connection reset', 'unknown'))
  }

  #break(message: string, reached: 'no' | 'unknown'): void {
    if (this.#closed) return
    this.#up.break()
    this.#down.break()
    this.#failClient(message, reached)
    this.#stopServer(message)
  }

  #stopServer(message: string): void {
    const server = this.#server
    server?.process.receive(`${this.#title} abort`, () => server.stop(new TransportError(message, 'unknown')))
    this.#close()
  }

  #failClient(message: string, reached: 'no' | 'unknown'): void {
    const error = new TransportError(`${this.#title}: ${message}`, reached)
    this.#client.process.receive(`${this.#title} failed`, () => this.#client.fail(error))
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const forget of this.#forget.splice(0)) forget()
    this.#medium.closed(this)
  }

  #isDropped(): boolean {
    return chance(this.#medium.random, this.#medium.faults().dropRate)
  }

  #cut(direction: 'up' | 'down'): number | undefined {
    const near = [this.#client.process.name]
    const far = this.#server ? [this.#to, this.#server.process.name] : [this.#to]
    return direction === 'up' ? this.#medium.findCut(near, far) : this.#medium.findCut(far, near)
  }
}

const isIdempotent = (method: string): boolean => /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method)
