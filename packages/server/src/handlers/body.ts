import { type ApiObject, badRequest, prune, tooLarge, unsupportedMediaType } from '@strata/api'
import { MalformedJson, parseObject } from '../codec/index.ts'
import type { ServedResource } from '../registry/index.ts'
import type { RequestContext } from './request-context.ts'

/** As upstream: what etcd takes, with room for the rest of the transaction. */
const bodyLimitBytes = 3 * 1024 * 1024
const mediaTypes = ['application/json']

async function readBody({ request }: RequestContext): Promise<Uint8Array> {
  const body = request.readBody ? await request.readBody(bodyLimitBytes) : (request.body ?? new Uint8Array())
  if (body.length > bodyLimitBytes) throw tooLarge(bodyLimitBytes)
  return body
}

/** The object in the body, checked to be of the kind and version that the path names, as a hub object. */
export async function readObject(context: RequestContext, resource: ServedResource): Promise<ApiObject> {
  const { definition, codec, versionName, apiVersion } = resource
  const object = (await readJson(context)) as unknown as ApiObject | undefined
  if (!object) throw badRequest('the body is not valid JSON: it is empty')
  if (object.apiVersion !== apiVersion || object.kind !== definition.kind) {
    throw badRequest(
      `${definition.kind} in version "${versionName}" cannot be handled as a ${definition.kind}: the body says apiVersion ${JSON.stringify(object.apiVersion ?? '')}, kind ${JSON.stringify(object.kind ?? '')}; this path takes apiVersion "${apiVersion}", kind "${definition.kind}"`,
    )
  }
  const { metadata } = object as { metadata?: unknown }
  if (metadata === undefined || metadata === null) object.metadata = {}
  else if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    throw badRequest('metadata: must be an object')
  }
  const version = definition.versions[versionName]
  const unknown: string[] = []
  const pruned = version ? (prune(object, version.schema, (path) => unknown.push(path)) as ApiObject) : object
  if (unknown.length > 0 && context.info.query.get('fieldValidation') === 'Strict') {
    const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')
    throw badRequest(
      `${definition.kind} in version "${versionName}" cannot be handled as a ${definition.kind}: strict decoding error: ${fields}`,
    )
  }
  const problems = version ? codec.validate(pruned, apiVersion) : []
  const [first] = problems
  if (first) {
    throw badRequest(
      `${definition.kind} in version "${versionName}" cannot be handled as a ${definition.kind}: ${first.path}: ${first.detail}`,
    )
  }
  return codec.toHub(pruned, apiVersion)
}

/** The JSON object in the body, or undefined if the body is empty. */
export async function readJson(context: RequestContext): Promise<Record<string, unknown> | undefined> {
  checkMediaType(context)
  const body = await readBody(context)
  if (body.length === 0) return undefined
  try {
    return parseObject(body)
  } catch (error) {
    if (error instanceof MalformedJson) throw badRequest(`the body is not valid JSON: ${error.message}`)
    throw error
  }
}

function checkMediaType({ request }: RequestContext): void {
  const header = request.headers['content-type']
  const value = typeof header === 'string' ? (header.split(';')[0] ?? '').trim().toLowerCase() : ''
  if (value !== '' && !mediaTypes.includes(value)) throw unsupportedMediaType(mediaTypes)
}
