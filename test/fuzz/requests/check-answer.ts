import { isJsonObject, jsonEqual } from '@strata/api'
import { expect, shown } from '../target.ts'
import type { FuzzAnswer, FuzzRequest, FuzzServer } from './fuzz-server.ts'
import { mayDo, namesResource } from './rights.ts'

/** Errors that kube-apiserver answers with 500 too. */
const expected500: readonly RegExp[] = [
  /failed to (?:create typed patch object|convert new typed object) \(/,
  // From strategic merge patches.
  /does not contain declared merge key/,
  /unable to find api field in struct/,
  /merging an object in json but data type is not struct/,
  /unknown patch type: /,
  /expected a (?:\[\]|map\[string\])interface \{\}, but received a /,
  /doesn't match \$setElementOrder list/,
  /cannot merge lists without merge key for struct/,
  /merging lists cannot yet be specified in the patch/,
  /list element types are not identical/,
  /resourceVersion should not be set on objects to be created/,
  /strconv\.ParseUint: parsing\s[\s\S]*:\s+(?:invalid\s+syntax|value\s+out\s+of\s+range)/,
]

const isWrite = ({ method }: FuzzRequest): boolean => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)

/** Checks that hold for every response to every request. */
export function checkAnswer(request: FuzzRequest, answer: FuzzAnswer): void {
  const { status, text, contentType, written, isCut } = answer
  const about = `${request.method} ${request.target}`
  expect(!text.startsWith('This request caused apiserver to panic'), () => `a bug answers ${about}`)
  expect(status >= 200 && status < 600, () => `status ${status} for ${about}`)
  expect(status !== 500 || isExpected500(text), () => `answers 500: ${about} with ${shown(text)}`)
  if (request.as !== 'admin') checkRights(request, answer)
  if (!isWrite(request)) expect(written.length === 0, () => `${about} wrote ${written.join(', ')}`)
  if (isDryRun(request))
    expect(written.length === 0, () => `the dry run ${about} wrote ${written.join(', ')}`)
  if (status >= 400)
    expect(written.length === 0, () => `${status} for ${about}, which wrote ${written.join(', ')}`)
  if (isCut || request.method === 'HEAD' || !contentType.startsWith('application/json')) return
  // A watch answers with a line for each event.
  for (const line of parsed(text) === undefined && isWatch(request)
    ? text.split('\n').filter(Boolean)
    : [text]) {
    const value = parsed(line)
    expect(value !== undefined, () => `${about} answers no JSON: ${shown(line)}`)
    if (status >= 400 && isJsonObject(value) && value['kind'] === 'Status')
      expect(value['code'] === status, () => `${about} answers ${status} with ${shown(value)}`)
  }
}

function checkRights(request: FuzzRequest, { status, written }: FuzzAnswer): void {
  const about = `${request.method} ${request.target}`
  expect(written.length === 0, () => `without rights, ${request.as} wrote ${written.join(', ')} by ${about}`)
  const isRefused = namesResource(request) ? status === 403 : status >= 400
  expect(isRefused || mayDo(request), () => `without rights, ${request.as} got ${status} for ${about}`)
}

const isExpected500 = (text: string): boolean => expected500.some((each) => each.test(text))

const isDryRun = ({ target }: FuzzRequest): boolean => /[?&]dryRun=All(?:&|$)/.test(target)
const isWatch = ({ target }: FuzzRequest): boolean => /[?&]watch=|\/watch\//.test(target)

/** An accepted object can be read, is the same, and is accepted again without a change. */
export async function checkStored(
  server: FuzzServer,
  request: FuzzRequest,
  answer: FuzzAnswer,
): Promise<void> {
  const object = parsed(answer.text)
  const path = pathOf(request, object)
  if (path === undefined || !isJsonObject(object)) return
  const ask = (method: string, body = ''): Promise<FuzzAnswer> =>
    server.send({
      method,
      target: path,
      headers: { 'content-type': 'application/json' },
      body,
      as: 'admin',
    })
  const read = await ask('GET')
  // A review: it is answered, and not stored.
  if (read.status === 405) return
  // The server may have gone on with it, or deleted it for good.
  if (read.status !== 200) {
    const { metadata } = object as { metadata: Record<string, unknown> }
    expect(
      read.status === 404 && metadata['deletionTimestamp'] !== undefined,
      () => `GET ${path} answers ${read.status}`,
    )
    return
  }
  const again = parsed(read.text)
  if (resourceVersionOf(again) !== resourceVersionOf(object)) return
  expect(jsonEqual(again, object), () => `answered ${shown(object)}, and GET ${path} shows ${shown(again)}`)
  const put = await ask('PUT', Buffer.from(read.text).toString('latin1'))
  // The server has written it in between.
  if (put.status === 409) return
  const kept = parsed(put.text)
  expect(put.status === 200, () => `what GET ${path} shows is refused: ${put.status} ${shown(put.text)}`)
  expect(
    resourceVersionOf(kept) === resourceVersionOf(again) || put.written.length === 0,
    () => `what GET ${path} shows is written again as ${shown(kept)}`,
  )
}

/** The path of the object, if the request has stored one and returned it. */
function pathOf(request: FuzzRequest, object: unknown): string | undefined {
  const [target = ''] = request.target.split('?')
  // A slash at the end means the same collection; two in the middle mean something else.
  const path = target.replace(/\/+$/, '')
  if (!isJsonObject(object) || !isJsonObject(object['metadata']) || isDryRun(request)) return undefined
  if (request.headers['accept'] !== undefined) return undefined
  const { name, uid } = object['metadata']
  if (typeof name !== 'string' || typeof uid !== 'string') return undefined
  const segments = path.split('/')
  if (request.method === 'POST')
    return segments.includes(name) ? undefined : `${path}/${encodeURIComponent(name)}`
  if (request.method !== 'PUT' && request.method !== 'PATCH') return undefined
  return segments.at(-1) === name ? path : undefined
}

const resourceVersionOf = (object: unknown): unknown =>
  isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata']['resourceVersion'] : undefined

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
