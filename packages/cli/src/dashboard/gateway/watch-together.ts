import { isSuccess, isUnauthorized, untilSilent } from '@strata/client'
import { type HttpBody, type HttpResponse, readAll, utf8 } from '@strata/world'
import { dataHeaders } from './answers.ts'
import { credentialsRefused, explainUpstream } from './explain-upstream.ts'
import type { GatewayRequest } from './gateway-request.ts'
import { send, type Upstream } from './pass-on.ts'
import { splitLines } from './split-lines.ts'
import { readWatchSpecs, type WatchSpec } from './watch-specs.ts'

const bodyBytes = 256 * 1024
const askEveryMs = 2_000

/**
 * Several watches in one answer, a line each: browsers open six connections to one origin over HTTP/1.1. Lines are
 * `{"id","event"}`, and one of `{"id","status"}` (the watch was refused, or failed) and `{"id","ended":true}` at the end of
 * each watch. All end when the server falls silent: the page then asks again, and another server answers.
 */
export async function watchTogether(request: GatewayRequest, upstream: Upstream): Promise<HttpResponse> {
  const specs = readWatchSpecs(await request.readBody(bodyBytes))
  return {
    status: 200,
    headers: { ...dataHeaders, 'content-type': 'application/x-ndjson' },
    body: lines(specs, upstream, request.signal),
  }
}

async function* lines(
  specs: readonly WatchSpec[],
  fleet: Upstream,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const upstream = await settleOn(fleet, signal)
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  const handover = new Handover()
  const watching = specs.map((spec) => watchOne(spec, upstream, stop.signal, (line) => handover.give(line)))
  void Promise.all(watching).then(() => handover.end())
  // A watch alone cannot tell a frozen server from one without events.
  void untilSilent(
    { clock: upstream.clock, everyMs: askEveryMs, ask: (each) => ask(upstream, each) },
    stop.signal,
  ).then(() => stop.abort(new Error('the server does not answer')))
  try {
    yield* handover
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop.abort(new Error('the page has gone'))
    handover.end()
  }
}

/**
 * One server for all: if another one answered the questions while they watch, a frozen one that has the watches would go
 * unnoticed. A server that was killed while nothing was asked of it is still the one in use: a question finds the next.
 */
async function settleOn(fleet: Upstream, signal: AbortSignal): Promise<Upstream> {
  if (!fleet.pin) return fleet
  // Without an answer each watch says why.
  await ask(fleet, signal).catch(() => {})
  return { ...fleet, transport: fleet.pin(), servers: 1 }
}

/** A read from the store: a server that is cut off from its store must not pass for a healthy one. */
async function ask(upstream: Upstream, signal: AbortSignal): Promise<void> {
  const target = '/api/v1/namespaces/kube-system'
  const headers = { accept: 'application/json' }
  const { body } = await send({ method: 'GET', target, headers, signal }, upstream)
  await readAll(body)
}

async function watchOne(
  { id, path, accept }: WatchSpec,
  upstream: Upstream,
  signal: AbortSignal,
  give: (line: Uint8Array) => Promise<boolean>,
): Promise<void> {
  const name = JSON.stringify(id)
  const headers = { accept, 'user-agent': 'strata-dashboard' }
  const last = await (async (): Promise<string> => {
    try {
      const answer = await send({ method: 'GET', target: path, headers, signal }, upstream)
      if (!isSuccess(answer)) return `"status":${await statusText(answer)}`
      for await (const line of splitLines(chunksOf(answer.body)))
        if (!(await give(Buffer.concat([utf8.encode(`{"id":${name},"event":`), line, end])))) break
      return '"ended":true'
    } catch (error) {
      return signal.aborted ? '"ended":true' : `"status":${JSON.stringify(explainUpstream(error).status)}`
    }
  })()
  await give(utf8.encode(`{"id":${name},${last}}\n`))
}

const end = utf8.encode('}\n')

async function* chunksOf(body: HttpBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else yield* body
}

/** A Status in one line, whatever answered. */
async function statusText(answer: HttpResponse): Promise<string> {
  if (isUnauthorized(answer)) return JSON.stringify(credentialsRefused().status)
  const text = utf8.decode(await readAll(answer.body))
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // A proxy on the way.
    return JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      code: answer.status,
      message: text.slice(0, 1000),
    })
  }
}

/** Hands lines from many producers to one reader. A producer waits until its line was taken, so nothing piles up. */
class Handover implements AsyncIterable<Uint8Array> {
  readonly #waiting: { readonly line: Uint8Array; readonly taken: (isTaken: boolean) => void }[] = []
  #wake: () => void = () => {}
  #isOver = false

  /** False: there is no reader any more. */
  give(line: Uint8Array): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    return new Promise((taken) => {
      this.#waiting.push({ line, taken })
      this.#wake()
    })
  }

  end(): void {
    this.#isOver = true
    for (const { taken } of this.#waiting.splice(0)) taken(false)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next) {
        yield next.line
        next.taken(true)
      } else if (this.#isOver) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
