import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can hold back either direction and cut connections: a network with a mood. */
export interface TcpProxy {
  readonly port: number
  /** Bytes that went from clients to the server so far. */
  readonly forwardedBytes: number
  /** Bytes that the server sent so far, held back or not. */
  readonly answeredBytes: number
  /** Holds back what goes to the server. */
  pauseRequests(): void
  /** Holds back what comes from the server. It is still read, so the server notices nothing. */
  pauseAnswers(): void
  resume(): void
  /** Drops what is held back, and every connection. */
  cut(): void
  close(): Promise<void>
}

/** `targetPort` is asked anew for each connection: a proxy may also spread its clients over several servers. */
export async function startTcpProxy(targetPort: number | (() => number)): Promise<TcpProxy> {
  const pairs = new Set<readonly [client: Lane, server: Lane]>()
  let requestsPaused = false
  let answersPaused = false
  let forwardedBytes = 0
  let answeredBytes = 0

  const server = createServer((client) => {
    const target = connect(typeof targetPort === 'number' ? targetPort : targetPort(), '127.0.0.1')
    const pair = [new Lane(client, target), new Lane(target, client)] as const
    pairs.add(pair)
    const [requests, answers] = pair
    requests.paused = requestsPaused
    answers.paused = answersPaused
    requests.onForward = (bytes) => {
      forwardedBytes += bytes
    }
    answers.onTaken = (bytes) => {
      answeredBytes += bytes
    }
    const end = (): void => {
      client.destroy()
      target.destroy()
      pairs.delete(pair)
    }
    for (const socket of [client, target]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  const cut = (): void => {
    for (const [requests] of pairs) requests.destroy()
  }
  return {
    port: address.port,
    get forwardedBytes() {
      return forwardedBytes
    },
    get answeredBytes() {
      return answeredBytes
    },
    pauseRequests() {
      requestsPaused = true
      for (const [requests] of pairs) requests.paused = true
    },
    pauseAnswers() {
      answersPaused = true
      for (const [, answers] of pairs) answers.paused = true
    },
    resume() {
      requestsPaused = false
      answersPaused = false
      for (const lanes of pairs) for (const lane of lanes) lane.release()
    },
    cut,
    close() {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** One direction of one connection. */
class Lane {
  readonly #from: Socket
  readonly #to: Socket
  readonly #held: Buffer[] = []
  paused: boolean = false
  onTaken: (bytes: number) => void = () => {}
  onForward: (bytes: number) => void = () => {}

  constructor(from: Socket, to: Socket) {
    this.#from = from
    this.#to = to
    from.on('data', (chunk: Buffer) => {
      this.onTaken(chunk.length)
      if (this.paused) this.#held.push(chunk)
      else this.#forward(chunk)
    })
  }

  release(): void {
    this.paused = false
    for (const chunk of this.#held.splice(0)) this.#forward(chunk)
  }

  destroy(): void {
    this.#from.destroy()
    this.#to.destroy()
  }

  #forward(chunk: Buffer): void {
    this.onForward(chunk.length)
    this.#to.write(chunk)
  }
}
