import { ApiError, type Status } from '@strata/api'
import type { HttpBody, HttpHeaders, HttpResponse, World } from '@strata/world'
import { type AuditedRequest, type AuditSink, AuditTrail, decideAudit, type Policy } from '../audit/index.ts'
import type { RequestContext, ServerRequest } from '../handlers/index.ts'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { observeBody } from './observe-body.ts'

export interface AuditOptions {
  readonly policy: Policy
  readonly sink: AuditSink
  /** The answer for an error; undefined for a bug. */
  readonly toApiError: (error: unknown) => ApiError | undefined
}

/** Starts the audit trail, before authentication. A request that fails authentication is recorded here. */
export function beginAudit({ policy, sink }: AuditOptions, { clock }: World): Filter {
  return async (context, next) => {
    const trail = new AuditTrail(clock)
    try {
      return await next({ ...context, audit: trail })
    } catch (error) {
      if (!trail.hasBegun && error instanceof ApiError && error.code === 401) {
        const request = describe(context)
        trail.begin(request, decideAudit(policy, request), sink)
        trail.noteStatus({ message: attemptedMethods(context.request), code: 401 })
        trail.reach('ResponseStarted')
      }
      throw error
    }
  }
}

/** After authentication: records the request and its outcome, as far as the policy says. */
export function audit({ policy, sink, toApiError }: AuditOptions): Filter {
  return async (context, next) => {
    const trail = context.audit
    const request = describe(context)
    const decision = decideAudit(policy, request)
    if (!trail || decision.level === 'None') return next(context)
    trail.begin(request, decision, sink)
    trail.reach('RequestReceived')
    const isLong = isLongRunning(context.info)
    let response: HttpResponse
    try {
      response = await next(context)
    } catch (error) {
      noteFailure(trail, error, context, toApiError)
      throw error
    }
    noteAnswer(trail, response)
    if (isLong) trail.reach('ResponseStarted')
    return { ...response, body: untilComplete(trail, response, isLong) }
  }
}

/** After impersonation: records the impersonated user. */
export const auditActor: Filter = (context, next) => {
  if (context.user) context.audit?.noteActor(context.user)
  return next(context)
}

const decisionKey = 'authorization.k8s.io/decision'

/** After authorization: records that the request is allowed. */
export const auditAllowed: Filter = (context, next) => {
  if (context.audit) context.audit.annotations[decisionKey] = 'allow'
  return next(context)
}

function noteFailure(
  trail: AuditTrail,
  error: unknown,
  { signal, info }: RequestContext,
  toApiError: AuditOptions['toApiError'],
): void {
  const known = toApiError(error)
  const isGone = signal.aborted && error === signal.reason
  if (!known && !isGone) {
    const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`
    trail.noteStatus({ status: 'Failure', message, reason: 'InternalError', code: 500 })
    trail.reach('Panic')
    return
  }
  if (known) {
    trail.noteStatus(boundedStatus(known.status))
    if (trail.wantsResponse) trail.noteResponse(JSON.stringify(known.status))
    if (known.code === 403) trail.annotations[decisionKey] ??= 'forbid'
  } else trail.noteStatus({ status: 'Success', message: 'Connection closed early', code: 200 })
  if (isLongRunning(info)) trail.reach('ResponseStarted')
  trail.reach('ResponseComplete')
}

const statusHead = '{"kind":"Status"'

function noteAnswer(trail: AuditTrail, { status, body }: HttpResponse): void {
  const isStatus =
    body instanceof Uint8Array && Buffer.from(body.subarray(0, statusHead.length)).toString() === statusHead
  trail.noteStatus(isStatus ? boundedStatus(JSON.parse(Buffer.from(body).toString())) : { code: status })
}

function boundedStatus({ status, message, reason, details, code }: Status) {
  return {
    status,
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  }
}

/** A longer answer is not recorded; as upstream, the event then has an annotation that says so. */
const longestResponse = 10 * 1024 * 1024

/** Returns the same body. The request is complete when its last byte is sent. */
function untilComplete(trail: AuditTrail, { headers, body }: HttpResponse, isLong: boolean): HttpBody {
  const wants =
    trail.wantsResponse && !isLong && String(headers['content-type']).startsWith('application/json')
  const complete = (chunks: readonly Uint8Array[], length: number): void => {
    if (wants && length <= longestResponse) trail.noteResponse(Buffer.concat(chunks).toString('utf8'))
    else if (wants) trail.annotations['audit.k8s.io/truncated'] = 'true'
    trail.reach('ResponseComplete')
  }
  if (body instanceof Uint8Array) {
    complete([body], body.length)
    return body
  }
  const chunks: Uint8Array[] = []
  let length = 0
  return observeBody(body, {
    onChunk: (chunk) => {
      length += chunk.length
      if (wants && length <= longestResponse) chunks.push(chunk)
    },
    // Half of an answer is not valid JSON.
    onEnd: (isWhole) => complete(chunks, isWhole ? length : Number.POSITIVE_INFINITY),
  })
}

const longestAgent = 1024

function describe({ auditId, user, info, request }: RequestContext): AuditedRequest {
  const { path, verb, target } = info
  const agent = textOf(request.headers['user-agent'])
  return {
    auditId,
    user,
    verb: target ? verb : request.method.toLowerCase(),
    path,
    target,
    apiVersion: target?.versionName ?? '',
    requestURI: request.target,
    sourceIPs: sourceIPs(request),
    userAgent: agent.length > longestAgent ? `${agent.slice(0, longestAgent)}...TRUNCATED` : agent,
  }
}

/** The addresses that proxies report, then the peer of the connection. */
function sourceIPs({ headers, remoteAddress }: ServerRequest): string[] {
  const said = [...textOf(headers['x-forwarded-for']).split(','), textOf(headers['x-real-ip'])]
    .map((each) => each.trim())
    .filter((each) => /^[0-9a-fA-F.:]{2,45}$/.test(each))
  const seen = remoteAddress?.().replace(/^::ffff:(?=\d+\.)/, '')
  return [...new Set(seen === undefined ? said : [...said, seen])]
}

const textOf = (value: HttpHeaders[string] | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : value.join(',')

function attemptedMethods({ headers, peer }: ServerRequest): string {
  const header = textOf(headers['authorization']).trim().toLowerCase()
  const methods = [
    ...(header.startsWith('basic ') ? ['basic'] : []),
    ...(header.startsWith('bearer ') ? ['bearer'] : []),
    ...(peer ? ['x509'] : []),
  ]
  if (methods.length === 0) return 'Authentication failed, no credentials provided'
  return `Authentication failed, attempted: ${methods.join(', ')}`
}
