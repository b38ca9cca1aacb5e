import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { BackendServer, backendGroup } from '../support/backend-server.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { freePorts } from '../support/free-ports.ts'
import { kubectl, tokenKubeconfig } from '../support/kubectl.ts'
import { LoneServer } from '../support/lone-server.ts'
import { thingDocuments } from '../support/thing-documents.ts'
import { until } from '../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
type Json = any

const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const things = `/apis/${backendGroup}/v1/namespaces/default/things`
const bad = ['down', 'silent', 'garbage', 'huge', 'lying', 'strange'] as const
type Bad = (typeof bad)[number]
const groupOf = (name: Bad): string => `${name}.example.dev`
const isBad = (text: string): boolean => bad.some((name) => text.includes(groupOf(name)))

const jsonHead = { 'content-type': 'application/json' }
const hugeBytes = 100 * 1024 * 1024

/** How much of 100 MB the other side took. */
let hugeTaken = 0
function sendHuge(outgoing: ServerResponse): void {
  outgoing.writeHead(200, jsonHead)
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  let sent = 0
  const more = (): void => {
    for (; sent < hugeBytes; sent += chunk.length) {
      if (outgoing.destroyed) return
      hugeTaken = Math.max(hugeTaken, sent)
      if (!outgoing.write(chunk)) return void outgoing.once('drain', more)
    }
    hugeTaken = hugeBytes
    outgoing.end()
  }
  more()
}

/** Says that everything is its own, in each document that it has. */
function lie({ url = '' }: IncomingMessage, outgoing: ServerResponse): boolean {
  const own = groupOf('lying')
  const kind = (group: string, name: string) => ({ group, version: 'v1', kind: name })
  const kinds = { 'x-kubernetes-group-version-kind': [kind('', 'ConfigMap'), kind(own, 'Lie')] }
  const words = { description: 'A lie.', type: 'object', ...kinds }
  const operation = (name: string) => ({
    responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': kind('', 'ConfigMap'),
  })
  const paths = Object.fromEntries(
    [
      `/apis/${own}/v1/lies`,
      '/api/v1/namespaces/{namespace}/configmaps',
      `/apis/${backendGroup}/v1/things`,
    ].map((path) => [path, { patch: operation('io.k8s.api.core.v1.ConfigMap'), get: operation('Bad') }]),
  )
  const resources = [{ resource: 'lies', scope: 'Cluster', verbs: ['get'] }]
  const groups = ['', 'apps', backendGroup, 'rbac.authorization.k8s.io', own]
  const documents: Record<string, unknown> = {
    '/apis': {
      ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
      items: groups.map((name) => ({ metadata: { name }, versions: [{ version: 'v1', resources }] })),
    },
    [`/apis/${own}/v1`]: { kind: 'APIResourceList', groupVersion: 'apps/v1', resources: [] },
    '/openapi/v2': {
      ...{ swagger: '2.0', paths },
      definitions: {
        'io.k8s.api.core.v1.ConfigMap': words,
        // kubectl refuses a document with any of these, for all kinds in it.
        Bad: {
          properties: {
            list: { type: 'array' },
            both: { type: ['string', 'null'] },
            none: { $ref: '#/definitions/None' },
            odd: { type: 'object', $ref: '#/definitions/Bad' },
          },
        },
      },
    },
    [`/openapi/v3/apis/${own}/v1`]: {
      ...{ openapi: '3.0.0', paths },
      components: { schemas: { 'io.k8s.api.core.v1.ConfigMap': words } },
    },
  }
  outgoing.writeHead(documents[url] ? 200 : 404, jsonHead)
  outgoing.end(JSON.stringify(documents[url]))
  return true
}

describe('isolation of backends', () => {
  let certificates: Certificates
  let strangers: Certificates
  let good: BackendServer
  let server: LoneServer
  let home: string
  const backends = new Map<Bad, BackendServer>()

  before(async () => {
    certificates = await createCertificates(['api.shop.svc', ...bad.map((name) => `${name}.shop.svc`)])
    strangers = await createCertificates()
    const { v2, v3 } = await thingDocuments()
    good = await BackendServer.start(certificates)
    good.documents.set('/openapi/v2', v2)
    good.documents.set(`/openapi/v3/apis/${backendGroup}/v1`, v3)
    const answers: Record<Exclude<Bad, 'down'>, BackendServer['override']> = {
      silent: () => true,
      garbage: (_, outgoing) => {
        outgoing.writeHead(200, jsonHead).end('{"kind":')
        return true
      },
      huge: (_, outgoing) => {
        sendHuge(outgoing)
        return true
      },
      lying: lie,
      strange: () => false,
    }
    for (const [name, override] of Object.entries(answers)) {
      const backend = await BackendServer.start(name === 'strange' ? strangers : certificates)
      backend.override = override
      backends.set(name as Bad, backend)
    }
    const [closed = 0] = await freePorts(1)
    const addresses = bad.map(
      (name) => `${name}=${backends.get(name)?.origin ?? `https://127.0.0.1:${closed}`}`,
    )
    server = await LoneServer.start(
      'isolation',
      [`api=${good.origin}`, ...addresses].flatMap((each) => ['--service-address', `shop/${each}`]),
    )
    home = await mkdtemp(join(tmpdir(), 'strata-kubectl-'))
    await writeFile(join(home, 'config'), tokenKubeconfig(server))
    await register(backendGroup, 'api')
    await until('the good one is described', async () => {
      const { paths } = await read('/openapi/v3')
      return paths[`apis/${backendGroup}/v1`] !== undefined
    })
  })
  after(async () => {
    await server.stop()
    for (const each of [good, ...backends.values()]) await each.stop()
    for (const each of [certificates, strangers]) await each.remove()
    await rm(home, { recursive: true, force: true })
  })

  const get = (path: string, headers = {}) => server.send('HTTP/1.1', { method: 'GET', path, headers })
  const read = async (path: string, headers = {}): Promise<Json> =>
    JSON.parse((await get(path, headers)).text)
  const explain = async (kind: string): Promise<string> => {
    const flags = ['explain', kind, '--output=plaintext-openapiv2']
    const { stdout, stderr } = await kubectl(flags, { kubeconfig: join(home, 'config'), home })
    return stdout + stderr
  }

  async function register(group: string, name: string): Promise<void> {
    const { status, text } = await server.send('HTTP/1.1', {
      ...{ method: 'POST', path: services, headers: jsonHead },
      body: JSON.stringify({
        ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: `v1.${group}` } },
        spec: {
          ...{ group, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15 },
          service: { namespace: 'shop', name },
          caBundle: Buffer.from(certificates.ca).toString('base64'),
        },
      }),
    })
    assert.equal(status, 201, text)
  }

  /** Everything that is said about groups which are not bad, and how the server is. */
  async function observe(): Promise<Json> {
    const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
    const groups = (await read('/apis')).groups.filter(({ name }: Json) => !isBad(name))
    const items = (await read('/apis', aggregated)).items.filter(
      ({ metadata }: Json) => !isBad(metadata.name),
    )
    const seen: Record<string, unknown> = {
      ...{ groups, items, core: await read('/api', aggregated), ready: (await get('/readyz')).text },
      explained: [await explain('configmaps'), await explain('things.spec')],
      things: (await get(`${things}/a`)).status,
      configMaps: (await get('/api/v1/namespaces/default/configmaps')).status,
    }
    for (const { versions } of groups) {
      for (const { groupVersion } of versions) seen[groupVersion] = await read(`/apis/${groupVersion}`)
    }
    const { paths: index } = await read('/openapi/v3')
    for (const [key, { serverRelativeURL }] of Object.entries<Json>(index)) {
      if (!isBad(key)) seen[serverRelativeURL] = (await get(serverRelativeURL)).status
    }
    const { paths, definitions } = await read('/openapi/v2')
    seen['paths'] = Object.fromEntries(Object.entries(paths).filter(([path]) => !isBad(path)))
    seen['definitions'] = Object.fromEntries(
      Object.entries(definitions).filter(([name]) => name !== 'Bad' && !name.endsWith('ConfigMap_v2')),
    )
    return seen
  }

  const conditionOf = async (name: Bad): Promise<Json> =>
    (await read(`${services}/v1.${groupOf(name)}`)).status?.conditions?.[0]

  test('backends that are down, silent, lying, huge or strange change nothing for other groups', async () => {
    const watch = openWatch()
    const before = await observe()
    assert.deepEqual([before.ready, before.things, before.configMaps], ['ok', 200, 200])
    const [explained, ofThings] = before.explained
    assert.match(explained, /KIND: +ConfigMap/)
    assert.match(ofThings, /What the thing is like/)

    await Promise.all(bad.map((name) => register(groupOf(name), name)))
    const answers = ['garbage', 'huge', 'lying'] as const
    await server.staysAlive(
      Promise.all([
        ...bad.map((name) =>
          until(`${name} is checked`, async () => {
            const isAvailable = (await conditionOf(name))?.status
            return isAvailable === ((answers as readonly string[]).includes(name) ? 'True' : 'False')
          }),
        ),
        ...answers.map((name) =>
          until(`${name} is asked for its documents`, () =>
            backends.get(name)?.seen.some(({ url }) => url === '/openapi/v2'),
          ),
        ),
        until('the lies are read', async () => {
          const { paths } = await read('/openapi/v3')
          return paths[`apis/${groupOf('lying')}/v1`] !== undefined
        }),
        until('the huge documents are given up', () => backends.get('huge')?.sockets.size === 0),
      ]),
    )

    assert.deepEqual(await observe(), before)
    assert.ok(hugeTaken < hugeBytes / 2, `${hugeTaken} bytes of a document were read`)
    await checkLies()
    assert.equal(await (await watch)('{"type":"ADDED"}\n'), '{"type":"ADDED"}\n', 'a watch goes on')
    for (const name of ['down', 'silent', 'strange'] as const) {
      const { status, text } = await get(`/apis/${groupOf(name)}/v1/lies`)
      assert.deepEqual([status, text], [503, 'service unavailable\n'], name)
    }
  })

  /** What is left of the lies is about their own version. */
  async function checkLies(): Promise<void> {
    const key = `apis/${groupOf('lying')}/v1`
    const { paths, definitions } = await read('/openapi/v2')
    const { patch } = paths[`/${key}/lies`]
    assert.equal(patch.responses[200].schema.$ref, '#/definitions/io.k8s.api.core.v1.ConfigMap_v2')
    assert.equal(patch['x-kubernetes-group-version-kind'], undefined)
    assert.deepEqual(definitions['io.k8s.api.core.v1.ConfigMap_v2']['x-kubernetes-group-version-kind'], [
      { group: groupOf('lying'), version: 'v1', kind: 'Lie' },
    ])
    assert.deepEqual(Object.keys((await read(`/openapi/v3/${key}`)).paths), [`/${key}/lies`])
  }

  /** A watch of the good backend. The function sends an event and returns what the client got. */
  async function openWatch(): Promise<(event: string) => Promise<string>> {
    const opened = Promise.withResolvers<ServerResponse>()
    good.override = (incoming, outgoing) => {
      if (!incoming.url?.includes('watch=true')) return false
      outgoing.writeHead(200, jsonHead).flushHeaders()
      opened.resolve(outgoing)
      return true
    }
    const outgoing = request({
      ...{ host: '127.0.0.1', port: server.port, ca: server.ca, path: `${things}?watch=true`, agent: false },
      headers: { authorization: `Bearer ${server.token}` },
    })
    outgoing.end()
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const backend = await opened.promise
    return async (event) => {
      backend.write(event)
      const [chunk] = await once(response, 'data')
      outgoing.on('error', () => {})
      outgoing.destroy()
      return String(chunk)
    }
  }
})
