import { isSuccess, linesOf } from '@strata/client'
import { type Clock, type HttpRequest, type HttpResponse, type Transport, utf8 } from '@strata/world'
import { WatchBody } from './watch-body.ts'

/** Watches that begin within this time share a connection. */
const gatherMs = 50
/** Browsers open six connections to one origin over HTTP/1.1; the others are for requests. */
const mostConnections = 2

interface JoinedWatch {
  readonly id: string
  /** With the resourceVersion of its last event: from there it can go on elsewhere. */
  path: string
  readonly accept: string
  readonly body: WatchBody
}

interface Joint {
  readonly stop: AbortController
  readonly open: Map<string, JoinedWatch>
}

/**
 * Sends watches to the gateway together, in one answer (`POST /dashboard/watches`), and everything else as it is. Watches that
 * begin later need a connection of their own. When there would be too many, they take over the watches of the smallest one, each
 * where it is; its reader notices nothing.
 */
export function joinWatches(transport: Transport, clock: Clock): Transport {
  const joints = new Set<Joint>()
  let waiting: JoinedWatch[] = []
  let count = 0

  const begin = async (headers: HttpRequest['headers']): Promise<void> => {
    const taken = joints.size < mostConnections ? [] : takeOver(joints)
    const watches = [...taken, ...waiting.filter(({ body }) => !body.isOver)]
    waiting = []
    if (watches.length === 0) return
    const joint: Joint = {
      stop: new AbortController(),
      open: new Map(watches.map((each) => [each.id, each])),
    }
    joints.add(joint)
    try {
      const specs = watches.map(({ id, path, accept }) => ({ id, path, accept }))
      const answer = await transport({
        ...{ method: 'POST', target: '/dashboard/watches', signal: joint.stop.signal },
        headers: { ...headers, accept: 'application/x-ndjson', 'content-type': 'application/json' },
        body: utf8.encode(JSON.stringify({ watches: specs })),
      })
      await deliver(answer, joint)
      end(joint)
    } catch (error) {
      end(joint, error)
    } finally {
      joints.delete(joint)
    }
  }

  return async (request) => {
    if (request.method !== 'GET' || !isWatch(request.target)) return transport(request)
    request.signal.throwIfAborted()
    const id = String(++count)
    const body = new WatchBody(request.signal)
    const { accept = 'application/json', ...headers } = request.headers
    const isFirst = waiting.length === 0
    waiting.push({ id, path: request.target, accept: String(accept), body })
    request.signal.addEventListener('abort', () => leave(joints, id), { once: true })
    if (isFirst) clock.after(gatherMs, () => void begin(headers))
    return body.answer()
  }
}

/** Of the API: other addresses that stream are not joined. */
const isWatch = (target: string): boolean =>
  /^\/apis?\//.test(target) && /[?&]watch=(?:1|true)(?:&|$)/.test(target)

/** The watches of the smallest one, which ends. */
function takeOver(joints: ReadonlySet<Joint>): readonly JoinedWatch[] {
  const [smallest] = [...joints].sort((a, b) => a.open.size - b.open.size)
  if (!smallest) return []
  const watches = [...smallest.open.values()]
  smallest.open.clear()
  smallest.stop.abort(new Error('another connection has its watches now'))
  return watches
}

/** A connection without watches is of no use. */
function leave(joints: ReadonlySet<Joint>, id: string): void {
  for (const { open, stop } of joints)
    if (open.delete(id) && open.size === 0) stop.abort(new Error('all of its watches have ended'))
}

function end({ open }: Joint, error?: unknown): void {
  for (const { body } of open.values()) body.end(error)
  open.clear()
}

interface Line {
  readonly id: string
  readonly event?: { readonly object?: { readonly metadata?: { readonly resourceVersion?: string } } }
  readonly status?: { readonly code?: number }
  readonly ended?: boolean
}

/** Hands each line to its watch. A refused watch gets the refusal as its answer. */
async function deliver(answer: HttpResponse, { open, stop }: Joint): Promise<void> {
  if (answer.body instanceof Uint8Array || !isSuccess(answer)) {
    for (const { body } of open.values()) body.give(answer)
    open.clear()
    return
  }
  for await (const line of linesOf(answer.body)) {
    const { id, event, status, ended } = JSON.parse(line) as Line
    const watch = open.get(id)
    if (!watch) continue
    if (event !== undefined) {
      watch.path = continued(watch.path, event.object?.metadata?.resourceVersion)
      watch.body.event(event)
    } else if (status !== undefined) watch.body.give(refusal(status))
    if (status !== undefined || ended) {
      watch.body.end()
      open.delete(id)
    }
    if (open.size === 0) stop.abort(new Error('all of its watches have ended'))
  }
}

function continued(path: string, resourceVersion: string | undefined): string {
  if (resourceVersion === undefined) return path
  const [before = '', query] = path.split('?', 2)
  const search = new URLSearchParams(query)
  search.set('resourceVersion', resourceVersion)
  return `${before}?${search}`
}

const refusal = (status: { readonly code?: number }): HttpResponse => ({
  status: status.code ?? 500,
  headers: { 'content-type': 'application/json' },
  body: utf8.encode(JSON.stringify(status)),
})
