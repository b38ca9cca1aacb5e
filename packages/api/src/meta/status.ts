import { type GroupResource, groupResourceText } from './names.ts'

/** The response to every failed request, and to a successful deletion. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code: number
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/**
 * A failure that is already an answer. It is made where the cause is known, so that no layer above has
 * to guess an HTTP code from a message.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: Status
  /** `continueToken` is how a client may go on with a list although this answer is a refusal. */
  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    continueToken?: string,
  ) {
    super(message)
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details ? { details } : {}),
      code,
    }
  }
  get code(): number {
    return this.status.code
  }
  get reason(): string {
    return this.status.reason ?? ''
  }
}

function about(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.resource,
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message)

export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

export function forbidden(resource: GroupResource, name: string, why: string): ApiError {
  const quoted = name === '' ? '' : ` "${name}"`
  return new ApiError(
    403,
    'Forbidden',
    `${groupResourceText(resource)}${quoted} is forbidden: ${why}`,
    about(resource, name),
  )
}

export function notFound(resource: GroupResource, name: string): ApiError {
  return new ApiError(
    404,
    'NotFound',
    `${groupResourceText(resource)} "${name}" not found`,
    about(resource, name),
  )
}

/** No such path. Clients tell "no such type" from "no such object" by the empty details. */
export const notFoundPath = (why = ''): ApiError => {
  const reason = why === '' ? '' : `: ${why}`
  return new ApiError(404, 'NotFound', `the server could not find the requested resource${reason}`, {})
}

export const methodNotAllowed = (why?: string): ApiError => {
  const text = 'the server does not allow this method on the requested resource'
  return new ApiError(405, 'MethodNotAllowed', why === undefined ? text : `${text}: ${why}`, {})
}

/** The error for a verb that upstream rejects before it knows the kind. */
export const methodNotSupported = (resource: GroupResource, verb: string): ApiError =>
  new ApiError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${JSON.stringify(groupResourceText(resource))}`,
    about(resource, ''),
  )

export function alreadyExists(resource: GroupResource, name: string): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${groupResourceText(resource)} "${name}" already exists`,
    about(resource, name),
  )
}

export function conflict(resource: GroupResource, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${groupResourceText(resource)} "${name}": ${why}`,
    about(resource, name),
  )
}

/** 409 for a stale resourceVersion. The server's `plan-update.ts` throws it, and `update-agreement.ts` for records. */
export const objectModified = (resource: GroupResource, name: string): ApiError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  )

export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message)

export const tooLarge = (limitBytes: number): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`)

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

export const internalError = (message: string): ApiError =>
  new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })

export function serviceUnavailable(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError(
    503,
    'ServiceUnavailable',
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  )
}

/** The write may or may not have happened; the client must look before it tries again. */
export const outcomeUnknown = (why: string): ApiError =>
  new ApiError(
    504,
    'Timeout',
    `the outcome of the write is unknown (${why}): read the object before trying again`,
    {},
  )

export const timeout = (message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError(504, 'Timeout', message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

/** A client that has seen a newer state than this server knows of must come again. */
export const tooLargeResourceVersion = (asked: number | bigint, current: number): ApiError =>
  new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })

/** An answer from a server, as the client sees it. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status'
}
