import { tooLarge, unsupportedMediaType } from '@strata/api'
import type { RequestContext, ServerRequest } from '../request-context.ts'

/** As upstream: what etcd accepts, with room for the rest of the transaction. */
export const bodyLimitBytes = 3 * 1024 * 1024

/** The types that upstream's built-in kinds accept, in its order: clients compare the text. */
const mediaTypes = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
} as const

export type BodyFormat = (typeof mediaTypes)[keyof typeof mediaTypes]

/** A body arrives once. A request that is answered again, under another CRD, keeps its body. */
const bodies = new WeakMap<ServerRequest, Promise<Uint8Array>>()

function bodyOf(request: ServerRequest): Promise<Uint8Array> | Uint8Array {
  if (!request.readBody) return request.body ?? new Uint8Array()
  let body = bodies.get(request)
  if (!body) {
    body = request.readBody(bodyLimitBytes)
    bodies.set(request, body)
  }
  return body
}

export async function readBody({ request, largeBodies }: RequestContext): Promise<Uint8Array> {
  const body = await bodyOf(request)
  if (body.length > bodyLimitBytes) throw tooLarge(bodyLimitBytes)
  await largeBodies?.turn(body.length)
  return body
}

/** The media type without its parameters; empty if the request has none. */
export function mediaTypeOf({ request }: RequestContext): string {
  const header = request.headers['content-type']
  return typeof header === 'string' ? (header.split(';')[0] ?? '').trim().toLowerCase() : ''
}

/** `hasProtobuf`: whether the kind has protobuf messages. Custom resources have none. */
export function bodyFormat(context: RequestContext, hasProtobuf: () => boolean): BodyFormat {
  const type = mediaTypeOf(context)
  if (type === '') return 'json'
  const format = Object.hasOwn(mediaTypes, type) ? mediaTypes[type as keyof typeof mediaTypes] : undefined
  if (format === undefined) throw unsupportedMediaType(Object.keys(mediaTypes))
  if (format === 'protobuf' && !hasProtobuf()) {
    throw unsupportedMediaType(Object.keys(mediaTypes).filter((each) => each !== type))
  }
  return format
}
