import { tooLarge, unsupportedMediaType } from '@strata/api'
import type { RequestContext } from './request-context.ts'

/** As upstream: what etcd takes, with room for the rest of the transaction. */
const bodyLimitBytes = 3 * 1024 * 1024

/** What upstream's built-in kinds take, in its order: clients compare the text. */
const mediaTypes = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
} as const

export type BodyFormat = (typeof mediaTypes)[keyof typeof mediaTypes]

export async function readBody({ request }: RequestContext): Promise<Uint8Array> {
  const body = request.readBody ? await request.readBody(bodyLimitBytes) : (request.body ?? new Uint8Array())
  if (body.length > bodyLimitBytes) throw tooLarge(bodyLimitBytes)
  return body
}

/** The media type without its parameters; nothing at all is JSON. */
export function mediaTypeOf({ request }: RequestContext): string {
  const header = request.headers['content-type']
  return typeof header === 'string' ? (header.split(';')[0] ?? '').trim().toLowerCase() : ''
}

/** `hasProtobuf`: whether there are messages for the kind. Custom resources have none, and take the others only. */
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
