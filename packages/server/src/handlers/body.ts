import { tooLarge, unsupportedMediaType } from '@strata/api'
import type { RequestContext } from './request-context.ts'

/** As upstream: what etcd takes, with room for the rest of the transaction. */
const bodyLimitBytes = 3 * 1024 * 1024

const mediaTypes = { 'application/json': 'json', 'application/yaml': 'yaml' } as const
/** What upstream's built-in kinds take, in its order: clients compare the text. */
const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

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

export function bodyFormat(context: RequestContext): BodyFormat {
  const type = mediaTypeOf(context)
  if (type === '') return 'json'
  if (!Object.hasOwn(mediaTypes, type)) throw unsupportedMediaType(accepted)
  return mediaTypes[type as keyof typeof mediaTypes]
}
