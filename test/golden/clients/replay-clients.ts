import { deadline, readAll, type Transport } from '@strata/world'
import { createNodeTransport, nodeClock } from '@strata/world/node'
import type { ServerAccess } from '../served-store.ts'
import type { StepResult } from '../step-result.ts'
import { type CapturedRequest, isWatch, readRun } from './captured-run.ts'
import { CreatedObjects } from './created-objects.ts'
import { KeptDocuments } from './kept-documents.ts'
import { type Direct, direct } from './preludes.ts'
import { changeMetadata } from './protobuf-metadata.ts'
import { parseEvents, recordedEvents, recordedJson, type WatchEvent } from './recorded-answer.ts'
import { RecordedValues } from './recorded-values.ts'
import { nameOf, shapeDifferences } from './shape.ts'
import { isUnserved } from './unserved-kinds.ts'

const PATIENCE_MS = 20_000
/** The initial events of a watch come at once. */
const WATCH_MS = 3_000

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
  readonly etag: string | undefined
}

/** Plays what real clients have sent, request by request, and compares the answers with those they got. */
export async function replayChain(
  { url, ca, token }: Pick<ServerAccess, 'url' | 'ca' | 'token'>,
  runs: readonly string[],
): Promise<readonly StepResult[]> {
  const transport = createNodeTransport({ server: url, ca, token })
  try {
    const replay = new Replay(transport)
    const results: StepResult[] = []
    for (const run of runs) results.push(...(await replay.run(run)))
    return results
  } finally {
    transport.close()
  }
}

class Replay {
  readonly #transport: Transport
  readonly #values = new RecordedValues()
  readonly #documents = new KeptDocuments()
  readonly #created = new CreatedObjects()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async run(name: string): Promise<readonly StepResult[]> {
    const results: StepResult[] = []
    let label: number | string | undefined
    for (const [index, request] of readRun(name).requests.entries()) {
      if (request.command !== label) {
        label = request.command
        await direct(name, label, this.#direct, this.#values)
      }
      const place = String(index).padStart(3, '0')
      const differences = await this.#step(request, passingMoments.test(name) && isOfDefinitions(request))
      results.push({
        id: `${name}/${place} ${request.method} ${request.path.split('?')[0]}`,
        ok: differences.length === 0,
        why: differences
          .slice(0, 12)
          .map((each) => `  ${each}`)
          .join('\n'),
      })
    }
    return results
  }

  async #step(request: CapturedRequest, isPassing: boolean): Promise<readonly string[]> {
    const body = await this.#body(request)
    const target = this.#values.path(request.path)
    const { headers } = request
    const isKept = request.response.status === 304
    const etag = isKept ? this.#documents.etag(etagKey(request)) : undefined
    const sent = { ...headers, ...(etag === undefined ? {} : { 'if-none-match': etag }) }
    if (isUnserved(request.path)) {
      const { status } = await this.#send(request.method, target.replace('watch=true', ''), sent, body)
      return status === 404 ? [] : [`status ${status}: it is served by now, and no longer an unserved kind`]
    }
    if (isWatch(request)) {
      const differences = await this.#watch(request, target, sent)
      return isPassing ? differences.filter((each) => each.startsWith('status')) : differences
    }
    const answer = await this.#send(request.method, target, sent, body)
    this.#documents.note(request.method, target, answer.status)
    const isNews = isKept && answer.status === 200 && this.#documents.isOutdated(etagKey(request))
    if (answer.etag !== undefined) this.#documents.keep(etagKey(request), answer.etag)
    if (isNews) {
      this.#values.learnDocuments(answer.json)
      return []
    }
    const recorded = recordedJson(request.response)
    this.#values.learn(recorded, answer.json)
    if (target.startsWith('/openapi/v3?')) this.#values.learnDocuments(answer.json)
    if (isPassing && answer.status === 404) return []
    const differences = headDifferences(request, answer)
    if (differences.length > 0) return differences
    this.#created.note(request.method, target, answer.status, recorded, answer.json)
    if (isPassing) return []
    if (recorded === undefined) return []
    return shapeDifferences(recorded, answer.json, {
      isWhole: !request.response.truncated,
      isNeeded: (item) => this.#created.includes(target, item),
    })
  }

  /** The body with this server's values for recorded ones; those that no response has contained are looked up. */
  async #body(request: CapturedRequest): Promise<Uint8Array | undefined> {
    const { bodyBase64, bodyJSON, headers, response } = request
    if (bodyBase64 === undefined || bodyBase64 === '') return undefined
    const bytes = Buffer.from(bodyBase64, 'base64')
    const unknown: string[] = []
    const version = (recorded: string): string => {
      const known = this.#values.objectVersion(recorded)
      if (known === undefined && recorded !== '') unknown.push(recorded)
      return known ?? recorded
    }
    const build = (): Uint8Array => {
      if (headers['content-type']?.includes('protobuf')) {
        return changeMetadata(bytes, (field, value) =>
          field === 'uid' ? this.#values.uid(value) : version(value),
        )
      }
      if (bodyJSON === undefined) return bytes
      const given = (bodyJSON as { metadata?: { resourceVersion?: string } } | null)?.metadata
        ?.resourceVersion
      if (given !== undefined) version(given)
      return Buffer.from(JSON.stringify(this.#values.body(bodyJSON)))
    }
    const first = build()
    const [asked] = unknown
    // A version that was too old there must stay too old here.
    if (asked === undefined || response.status === 409) return first
    const target = this.#values.path(
      request.path.replace(/\?.*/, '').replace(/\/(?:status|finalize|scale)$/, ''),
    )
    const { json } = await this.#send('GET', target, { accept: 'application/json' }, undefined)
    const live = (json as { metadata?: { resourceVersion?: string } } | undefined)?.metadata?.resourceVersion
    if (live !== undefined) this.#values.learnObjectVersion(asked, live)
    return build()
  }

  async #watch(
    request: CapturedRequest,
    target: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const recorded = recordedEvents(request.response)
    const isInitial = target.includes('sendInitialEvents=true')
    const stop = new AbortController()
    const limit = deadline(nodeClock, WATCH_MS)
    limit.signal.addEventListener('abort', () => stop.abort(limit.signal.reason), { once: true })
    try {
      const response = await this.#transport({ method: 'GET', target, headers, signal: stop.signal })
      const answer = { status: response.status, contentType: String(response.headers['content-type'] ?? '') }
      const differences = headDifferences(request, answer)
      if (differences.length > 0) return differences
      const isEnough = (events: readonly WatchEvent[]): boolean =>
        isInitial ? events.some(endsInitialEvents) : events.length >= recorded.length
      const events = await readEvents(response.body as AsyncIterable<Uint8Array>, isEnough)
      if (!isEnough(events)) return [`only ${events.length} events came`]
      this.#values.learn(recorded, events)
      const isNeeded = (object: unknown): boolean => isInitial && this.#created.includes(target, object)
      return eventDifferences(recorded, events, isNeeded)
    } finally {
      stop.abort()
      limit.dispose()
    }
  }

  async #send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
  ): Promise<Answer> {
    const limit = deadline(nodeClock, PATIENCE_MS)
    try {
      const request = { method, target, headers, signal: limit.signal }
      const response = await this.#transport(body ? { ...request, body } : request)
      const text = Buffer.from(await readAll(response.body)).toString()
      const { etag } = response.headers
      return {
        status: response.status,
        contentType: String(response.headers['content-type'] ?? ''),
        json: text.startsWith('{') ? JSON.parse(text) : undefined,
        etag: typeof etag === 'string' ? etag : undefined,
      }
    } finally {
      limit.dispose()
    }
  }

  readonly #direct: Direct = async (method, target, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const { json, status } = await this.#send(method, target, { 'content-type': type }, bytes)
    this.#created.note(method, target, status, json, json)
    return json
  }
}

/**
 * A CRD that is deleted goes through several states in a few milliseconds, and it is a matter of chance which one a reader
 * sees, or whether it is gone already.
 */
const passingMoments = /^kubectl-.*-delete$/
const isOfDefinitions = ({ method, path }: CapturedRequest): boolean =>
  method === 'GET' && path.startsWith('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')

const etagKey = ({ path, headers }: CapturedRequest): string => `${path} ${headers['accept']}`

/** Status and media type. Where protobuf was answered, JSON will do: the client had said that it takes both. */
function headDifferences(
  { response }: CapturedRequest,
  { status, contentType }: Pick<Answer, 'status' | 'contentType'>,
): readonly string[] {
  if (status !== response.status) return [`status ${response.status} recorded, ${status} found`]
  const recorded = (response.contentType ?? '').replaceAll(' ', '')
  const found = contentType.replaceAll(' ', '')
  if (recorded === '' || recorded === found) return []
  const isProtobuf = recorded.startsWith('application/vnd.kubernetes.protobuf')
  return isProtobuf && found.startsWith('application/json')
    ? []
    : [`content type ${recorded} recorded, ${found} found`]
}

async function readEvents(
  body: AsyncIterable<Uint8Array>,
  isEnough: (events: readonly WatchEvent[]) => boolean,
): Promise<readonly WatchEvent[]> {
  let text = ''
  const decoder = new TextDecoder()
  if (isEnough([])) return []
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const events = parseEvents(text)
      if (isEnough(events)) return events
    }
  } catch {
    // The deadline: what has come until then is judged.
  }
  return parseEvents(text)
}

function endsInitialEvents({ type, object }: WatchEvent): boolean {
  const annotations = (object as { metadata?: { annotations?: Record<string, string> } } | null)?.metadata
    ?.annotations
  return type === 'BOOKMARK' && annotations?.['k8s.io/initial-events-end'] === 'true'
}

/** Compares events about the same object; the recorded server also held events of other clients. */
function eventDifferences(
  recorded: readonly WatchEvent[],
  live: readonly WatchEvent[],
  isNeeded: (object: unknown) => boolean,
): readonly string[] {
  return recorded.flatMap((event) => {
    const other = live.find(
      (each) =>
        each.type === event.type &&
        nameOf(each.object) === nameOf(event.object) &&
        endsInitialEvents(each) === endsInitialEvents(event),
    )
    const path = `$[${event.type}]`
    if (event.object === null) return []
    if (other !== undefined) {
      return shapeDifferences(event.object, other.object, { isWhole: true, isNeeded }, path)
    }
    return event.type === 'ADDED' && isNeeded(event.object)
      ? [`${path}[${nameOf(event.object)}]: missing`]
      : []
  })
}
