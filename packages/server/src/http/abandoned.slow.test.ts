import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { createLog, type HttpRequest, type HttpResponse, sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { createCertificates } from '../credentials/certificates.ts'
import { maxInFlight } from '../filters/index.ts'
import { YamlReader } from '../handlers/index.ts'
import { type Listener, listen } from './listen.ts'

const yaml = new YamlReader(nodeClock)
const crowd = maxInFlight({ readOnly: 10_000, mutating: 10_000 })
/** Bodies whose making has begun and not ended; they are cleaned up only if it has. */
let begun = 0
let handled = 0
let listener: Listener
let ca: string

/** Lists and watches of all sorts: the path says how long the answer takes, and how large its parts are. */
async function answer({ target, signal }: HttpRequest): Promise<HttpResponse> {
  handled++
  const [, kind, waitMs = '0', partBytes = '0'] = target.split('/')
  async function* body(): AsyncGenerator<Uint8Array> {
    begun++
    try {
      for (let part = 0; part < 20; part++) yield Buffer.alloc(Number(partBytes))
      if (kind === 'watch' && !signal.aborted) await once(signal, 'abort')
    } finally {
      begun--
    }
  }
  // A turn of the loop at the least, as a read from the store takes.
  await sleep(nodeClock, Number(waitMs))
  return { status: 200, headers: { 'content-type': 'application/json' }, body: body() }
}

function handle(request: HttpRequest): Promise<HttpResponse> {
  const context = {
    request,
    signal: request.signal,
    info: { path: request.target, query: new URLSearchParams(), verb: 'list', target: undefined },
    user: { name: 'u', groups: [] },
    resource: undefined,
    auditId: 'id',
    warnings: [],
    yaml,
  }
  return crowd.filter(context, () => answer(request))
}

before(async () => {
  const made = await createCertificates({
    hostnames: ['localhost'],
    addresses: ['127.0.0.1'],
    nowMs: nodeClock.wallMs(),
  })
  ca = made.authority.cert
  listener = await listen({
    handle,
    host: '127.0.0.1',
    port: 0,
    tls: { ...made.serving, clientCa: ca },
    clock: nodeClock,
    log: createLog(() => {}),
  })
})
after(() => listener.close(AbortSignal.abort()))

async function until(what: string, holds: () => boolean): Promise<void> {
  const endMs = nodeClock.monotonicMs() + 10_000
  while (!holds()) {
    assert.ok(nodeClock.monotonicMs() < endMs, `${what}: ${crowd.inFlight.readOnly} slots, ${begun} bodies`)
    await sleep(nodeClock, 5)
  }
}
const nothingIsLeft = (): Promise<void> =>
  until('something is left', () => crowd.inFlight.readOnly === 0 && begun === 0)

const moments = [0, 1, 3, 10, 30]
const paths = [0, 2, 10].flatMap((waitMs) =>
  [10, 20_000, 200_000].flatMap((partBytes) =>
    ['list', 'watch'].map((kind) => `/${kind}/${waitMs}/${partBytes}`),
  ),
)

// No error, cancelled.
for (const code of [0, 8]) {
  for (const encoding of ['identity', 'gzip']) {
    test(`abandoned: streams closed with ${code}, ${encoding}, leave nothing behind`, async () => {
      const client = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca })
      client.on('error', () => {})
      await once(client, 'connect')
      for (const momentMs of moments) {
        for (const path of paths) {
          const stream = client.request({ ':path': path, 'accept-encoding': encoding })
          stream.on('error', () => {})
          nodeClock.after(momentMs, () => stream.close(code))
        }
        await sleep(nodeClock, 20)
      }
      await nothingIsLeft()
      client.destroy()
    })
  }
}

test('abandoned: a connection of HTTP/2 that breaks leaves nothing behind', async () => {
  for (const momentMs of moments) {
    const client = connectHttp2(`https://127.0.0.1:${listener.port}`, { ca })
    client.on('error', () => {})
    await once(client, 'connect')
    const before = handled
    for (const path of paths) client.request({ ':path': path }).on('error', () => {})
    await until('requests have not come', () => handled > before)
    await sleep(nodeClock, momentMs)
    client.destroy()
  }
  await nothingIsLeft()
})

test('abandoned: connections of HTTP/1.1 leave nothing behind, nor do requests that were waiting in them', async () => {
  for (const momentMs of moments) {
    for (const [index, path] of paths.entries()) {
      const raw = connectTls({ host: '127.0.0.1', port: listener.port, ca, ALPNProtocols: ['http/1.1'] })
      raw.on('error', () => {})
      await once(raw, 'secureConnect')
      const before = handled
      const next = paths[(index + 7) % paths.length]
      for (const each of [path, next]) raw.write(`GET ${each} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await until('requests have not come', () => handled >= before + 1)
      nodeClock.after(momentMs, () => raw.destroy())
    }
  }
  await nothingIsLeft()
})
