// A webhook in a process of its own, good or bad as the path says: `node webhook-program.ts <certificate> <key> <port>`.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: whatever is sent.
type Json = any

const [, , certificate = '', key = '', port = '0'] = process.argv

/** How long `/slow` thinks about each request. */
const slowMs = 200

/** Answers an admission review. */
const admissions: Readonly<Record<string, (request: Json) => Json>> = {
  '/allow': () => ({}),
  '/deny': () => ({ allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not today' } }),
  '/warn': () => ({ warnings: ['from afar'] }),
  '/slow': () => ({}),
  '/wrong-uid': () => ({ uid: 'another' }),
  '/label': ({ object }) => ({
    patchType: 'JSONPatch',
    patch: Buffer.from(
      JSON.stringify([
        { op: 'add', path: '/metadata/labels', value: { ...object.metadata.labels, seen: 'yes' } },
      ]),
    ).toString('base64'),
  }),
}

/** Converts the objects of a conversion review. */
const conversions: Readonly<Record<string, (objects: Json[]) => Json[]>> = {
  '/convert': (objects) => objects,
  '/convert/rename': (objects) =>
    objects.map((each) => ({ ...each, metadata: { ...each.metadata, name: 'another' } })),
  '/convert/reuid': (objects) =>
    objects.map((each) => ({ ...each, metadata: { ...each.metadata, uid: 'x' } })),
  '/convert/drop': (objects) => objects.slice(1),
  '/convert/add': (objects) => [...objects, ...objects],
  '/convert/lazy': (objects) => objects.map((each) => ({ ...each, apiVersion: 'shop.example.com/v9' })),
  // What it does not know is gone, also when it converts back.
  '/convert/forget': (objects) =>
    objects.map(({ spec: { watts: _, ...spec }, ...rest }) => ({ ...rest, spec })),
  '/convert/other-kind': (objects) => objects.map((each) => ({ ...each, kind: 'Other' })),
}

/** One version has a size where the other has a length. */
function convert(object: Json, apiVersion: string): Json {
  const { size, length, ...spec } = object.spec ?? {}
  const value = size ?? length
  const field = apiVersion.endsWith('/v1') ? 'size' : 'length'
  return { ...object, apiVersion, spec: value === undefined ? spec : { ...spec, [field]: value } }
}

const others: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
  '/silent': () => {},
  '/hang-up': (_, request) => request.socket.destroy(),
  '/crash': () => process.exit(1),
  '/garbage': (response) => response.end('hello'),
  '/fail': (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('out of order\n'),
  '/redirect': (response) => response.writeHead(307, { location: '/allow' }).end(),
  '/half': (response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{', () => response.destroy())
  },
  '/endless': (response) => {
    const chunk = Buffer.alloc(1024 * 1024, 32)
    const more = (error?: Error | null): void => {
      if (!error && !response.destroyed) response.write(chunk, more)
    }
    more()
  },
}

function answer(path: string, review: Json): Json {
  const { uid } = review.request
  const { apiVersion, kind } = review
  const admit = admissions[path]
  if (admit) return { apiVersion, kind, response: { uid, allowed: true, ...admit(review.request) } }
  const change = conversions[path]
  const { objects, desiredAPIVersion } = review.request
  const convertedObjects = change?.(objects.map((each: Json) => convert(each, desiredAPIVersion)))
  return { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } }
}

const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  async (request, response) => {
    const path = new URL(request.url ?? '/', 'https://h').pathname
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const other = others[path]
    if (other) return other(response, request)
    if (path === '/convert/fail') {
      const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString())
      const result = { status: 'Failed', message: 'it is too old for that' }
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, result } }))
      return
    }
    if (!admissions[path] && !conversions[path]) return response.writeHead(404).end()
    if (path === '/slow') await sleep(slowMs)
    // Numbers pass through JavaScript here; what must not lose digits is sent as a text.
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer(path, JSON.parse(Buffer.concat(chunks).toString()))))
  },
)
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`listening ${typeof address === 'object' && address ? address.port : 0}\n`)
})
