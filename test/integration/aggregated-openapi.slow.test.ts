import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { BackendServer, backendGroup } from '../support/backend-server.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { kubectl, type Ran, tokenKubeconfig } from '../support/kubectl.ts'
import { LoneServer } from '../support/lone-server.ts'
import { thingDocuments } from '../support/thing-documents.ts'
import { until } from '../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
type Json = any

const { STRATA_KUBECTL_OLD } = process.env
const services = '/apis/apiregistration.k8s.io/v1/apiservices'
const key = `apis/${backendGroup}/v1`
const thing = (spec: object) => ({
  ...{ apiVersion: `${backendGroup}/v1`, kind: 'Thing' },
  ...{ metadata: { name: 'a', namespace: 'default' }, spec },
})

describe('OpenAPI of backends', () => {
  let certificates: Certificates
  let backend: BackendServer
  let server: LoneServer
  let home: string
  let documents: Awaited<ReturnType<typeof thingDocuments>>

  before(async () => {
    documents = await thingDocuments()
    certificates = await createCertificates(['api.shop.svc'])
    backend = await BackendServer.start(certificates)
    backend.documents.set('/openapi/v2', documents.v2)
    backend.documents.set(`/openapi/v3/${key}`, documents.v3)
    server = await LoneServer.start('openapi', ['--service-address', `shop/api=${backend.origin}`])
    home = await mkdtemp(join(tmpdir(), 'strata-kubectl-'))
    await writeFile(join(home, 'config'), tokenKubeconfig(server))
    await register()
  })
  after(async () => {
    await server.stop()
    await backend.stop()
    await certificates.remove()
    await rm(home, { recursive: true, force: true })
  })

  const get = (path: string, headers = {}) => server.send('HTTP/1.1', { method: 'GET', path, headers })
  const read = async (path: string): Promise<Json> => JSON.parse((await get(path)).text)
  const urlOf = async (): Promise<string | undefined> =>
    (await read('/openapi/v3')).paths[key]?.serverRelativeURL
  const run = (args: readonly string[], input?: unknown): Promise<Ran> =>
    kubectl(args, { kubeconfig: join(home, 'config'), home, input })

  async function register(): Promise<void> {
    const { status, text } = await server.send('HTTP/1.1', {
      ...{ method: 'POST', path: services, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({
        ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
        metadata: { name: `v1.${backendGroup}` },
        spec: {
          ...{ group: backendGroup, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15 },
          service: { namespace: 'shop', name: 'api' },
          caBundle: Buffer.from(certificates.ca).toString('base64'),
        },
      }),
    })
    assert.equal(status, 201, text)
    await until('the documents are there', urlOf)
  }

  test('v3: the index names the document, which can be cached for ever', async () => {
    const url = (await urlOf()) ?? ''
    assert.match(url, new RegExp(`^/openapi/v3/${key}\\?hash=[0-9A-F]{128}$`))
    const hash = url.slice(url.indexOf('=') + 1)
    const found = await get(url)
    assert.deepEqual([found.status, found.text], [200, documents.v3], 'as the backend sent it')
    assert.deepEqual(
      [found.headers.etag, found.headers['content-type'], found.headers['cache-control'], found.headers.vary],
      [`"${hash}"`, 'application/json', 'public, immutable', 'Accept'],
    )
    const known = await get(url, { 'if-none-match': `"${hash}"` })
    assert.deepEqual([known.status, known.text], [304, ''])
    const other = await get(`/openapi/v3/${key}?hash=1`)
    assert.deepEqual([other.status, other.headers.location], [301, url])
    const protobuf = { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }
    assert.equal((await get(url, protobuf)).status, 406)
  })

  test('v2: one document has the kinds of all', async () => {
    const { paths, definitions } = await read('/openapi/v2')
    assert.ok(paths[`/${key}/namespaces/{namespace}/things`].post)
    assert.equal(
      definitions['dev.example.shop.v1.Thing'].properties.spec.description,
      'What the thing is like.',
    )
    assert.ok(
      paths['/api/v1/namespaces/{namespace}/configmaps'] && definitions['io.k8s.api.core.v1.ConfigMap'],
    )
    const renamed = Object.keys(definitions).filter((name) => /_v\d+$/.test(name))
    assert.deepEqual(renamed, [], 'what both have is there once')
  })

  test('kubectl explains kinds of the backend, by either document', async () => {
    for (const flags of [[], ['--output=plaintext-openapiv2']]) {
      const { stdout, stderr } = await run(['explain', 'things.spec', ...flags])
      assert.match(stdout, /KIND: +Thing\nVERSION: +(?:shop\.example\.dev\/)?v1\n/, stderr)
      assert.match(stdout, /What the thing is like\./)
      assert.match(stdout, /colour\s+<string>\s+The colour of the thing\./)
      assert.match((await run(['explain', 'configmaps', ...flags])).stdout, /KIND: +ConfigMap/)
    }
  })

  test('kubectl 1.20 knows only v2: it explains by it, and validates by it', {
    skip: !STRATA_KUBECTL_OLD,
  }, async () => {
    const old = (args: readonly string[], input?: unknown): Promise<Ran> =>
      kubectl(args, { kubeconfig: join(home, 'config'), home, input, program: STRATA_KUBECTL_OLD ?? '' })
    assert.match(
      (await old(['explain', 'things.spec'])).stdout,
      /colour\s+<string>\s+The colour of the thing\./,
    )
    const wrong = await old(['apply', '-f', '-'], thing({ color: 'red' }))
    assert.match(wrong.stderr, /unknown field "color" in dev\.example\.shop\.v1\.Thing\.spec/)
  })

  test('kubectl validates what it applies', async () => {
    const posted: string[] = []
    backend.override = ({ method, url = '' }, outgoing) => {
      if (!url.startsWith(`/${key}/namespaces/`)) return false
      if (method === 'POST') posted.push(url)
      const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
      outgoing.writeHead(method === 'POST' ? 201 : 404, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(method === 'POST' ? thing({ colour: 'red' }) : missing))
      return true
    }
    const right = await run(['apply', '-f', '-'], thing({ colour: 'red' }))
    assert.equal(right.stdout, 'thing.shop.example.dev/a created\n', right.stderr)
    assert.match(posted[0] ?? '', /fieldValidation=Strict/, 'the document says that the backend validates')

    // A backend that does not: kubectl validates by v2.
    const old = documents.v2.replaceAll('"fieldValidation"', '"otherValidation"')
    backend.documents.set('/openapi/v2', old)
    backend.documents.delete(`/openapi/v3/${key}`)
    await again()
    await until('v3 is made of v2', async () => (await get(`/openapi/v3/${key}`)).text !== documents.v3)
    const wrong = await run(['apply', '-f', '-'], thing({ color: 'red' }))
    assert.match(wrong.stderr, /unknown field "color" in dev\.example\.shop\.v1\.Thing\.spec/)
    assert.match((await run(['explain', 'things.spec'])).stdout, /colour\s+<string>/)
    backend.override = () => false
  })

  /** Another spec: the backend is checked at once. */
  async function again(): Promise<void> {
    const { status, text } = await server.send('HTTP/1.1', {
      ...{ method: 'PATCH', path: `${services}/v1.${backendGroup}` },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({
        spec: { caBundle: Buffer.from(`${certificates.ca}\n`.repeat(++changes)).toString('base64') },
      }),
    })
    assert.equal(status, 200, text)
  }
  let changes = 0

  test('documents stay while the backend is away, and go with the APIService', async () => {
    const url = await urlOf()
    await backend.stop()
    await again()
    await until('it is not available', async () => {
      const { status } = await read(`${services}/v1.${backendGroup}`)
      return status?.conditions?.[0]?.status === 'False'
    })
    assert.equal(await urlOf(), url)
    assert.match((await run(['explain', 'things.spec'])).stdout, /colour\s+<string>/)
    const refused = await run(['get', 'things'])
    assert.equal(
      refused.stderr,
      'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get things.shop.example.dev)\n',
    )
    await server.send('HTTP/1.1', { method: 'DELETE', path: `${services}/v1.${backendGroup}` })
    await until('they are gone', async () => (await urlOf()) === undefined)
    assert.equal((await get(`/openapi/v3/${key}`)).status, 404)
    assert.equal((await read('/openapi/v2')).paths[`/${key}/things`], undefined)
  })
})
