import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { LoneServer } from '../support/lone-server.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
type Json = any

const maps = '/api/v1/namespaces/default/configmaps'
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const mutating = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'

describe('webhooks', () => {
  let certificates: Certificates
  let strangers: Certificates
  let webhook: WebhookProcess
  let server: LoneServer

  before(async () => {
    certificates = await createCertificates(['hook.shop.svc'])
    strangers = await createCertificates()
    webhook = await WebhookProcess.start(certificates)
    server = await LoneServer.start('webhooks', [
      ...['--service-address', `shop/hook=${webhook.origin}`],
      ...['--webhook-service', `shop/other=${webhook.origin}`],
    ])
  })
  after(async () => {
    await server.stop()
    await webhook.kill()
    await certificates.remove()
    await strangers.remove()
  })

  async function send(method: string, path: string, body?: unknown, type = 'application/json') {
    const { status, headers, text } = await server.send('HTTP/1.1', {
      ...{ method, path, headers: { 'content-type': type } },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status, headers, body: JSON.parse(text) as Json }
  }

  const bundle = (of: Certificates): string => Buffer.from(of.ca).toString('base64')
  const at = (path: string) => ({ url: `${webhook.origin}${path}`, caBundle: bundle(certificates) })

  async function configure(clientConfig: object, more: object = {}, path = configurations): Promise<void> {
    const hook = {
      ...{ name: 'hook.example.com', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] },
      ...{ timeoutSeconds: 1, ...more },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    }
    await send('DELETE', `${path}/test`)
    const kind = path === mutating ? 'Mutating' : 'Validating'
    const metadata = { name: 'test' }
    const { status, body } = await send('POST', path, {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration` },
      ...{ metadata, webhooks: [hook] },
    })
    assert.equal(status, 201, JSON.stringify(body))
  }

  let count = 0
  const create = (path = maps) => send('POST', path, { metadata: { name: `m${++count}` }, data: { k: 'v' } })
  const isStored = async (): Promise<boolean> => (await send('GET', `${maps}/m${count}`)).status === 200

  const failures: ReadonlyArray<[path: string, why: RegExp]> = [
    ['/silent', /Post "https:\/\/127\.0\.0\.1:\d+\/silent\?timeout=1s": context deadline exceeded$/],
    ['/hang-up', /Post "[^"]+": EOF$/],
    ['/half', /Post "[^"]+": (?:unexpected )?EOF$/],
    [
      '/garbage',
      /: couldn't get version\/kind; json parse error: invalid character 'h' looking for beginning/,
    ],
    ['/fail', /: an error on the server \("out of order"\) has prevented the request from succeeding$/],
    ['/redirect', /: the server responded with the status code 307 but did not return more information$/],
    ['/endless', /: the answer is longer than \d+ bytes$/],
    ['/nowhere', /: the server could not find the requested resource$/],
  ]
  for (const [path, why] of failures) {
    test(`a webhook at ${path} fails the request, or is passed over`, async () => {
      await configure(at(path), { timeoutSeconds: path === '/silent' ? 1 : 30 })
      const { status, body } = await create()
      assert.equal(status, 500)
      assert.match(
        body.message,
        /^Internal error occurred: failed calling webhook "hook\.example\.com": failed to call webhook: /,
      )
      assert.match(body.message, why)
      assert.equal(await isStored(), false)
      await configure(at(path), { failurePolicy: 'Ignore', timeoutSeconds: path === '/silent' ? 1 : 30 })
      assert.equal((await create()).status, 201)
      assert.equal(await isStored(), true)
    })
  }

  test('a webhook that answers for another request has not answered', async () => {
    await configure(at('/wrong-uid'))
    const { body } = await create()
    assert.match(
      body.message,
      /received invalid webhook response: expected response\.uid="[^"]+", got "another"$/,
    )
    assert.equal(await isStored(), false)
  })

  test('a webhook that crashes stays dead until it is started again, and nothing is lost', async () => {
    await configure(at('/crash'))
    assert.equal((await create()).status, 500)
    await until('the webhook is gone', () => !webhook.running)
    await configure(at('/allow'))
    const { body } = await create()
    assert.match(body.message, /: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/)
    assert.equal(await isStored(), false)
    await webhook.start()
    assert.equal((await create()).status, 201)
  })

  test('a webhook that was started anew is reached over a fresh connection', async () => {
    await configure(at('/allow'))
    assert.equal((await create()).status, 201)
    await webhook.kill()
    await webhook.start()
    assert.equal((await create()).status, 201)
  })

  test('a webhook allows, warns, denies and changes', async () => {
    await configure(at('/warn'))
    const warned = await create()
    assert.equal(warned.headers['warning'], '299 - "from afar"')
    await configure(at('/deny'))
    const denied = await create()
    assert.deepEqual(
      [denied.status, denied.body.message],
      [403, 'admission webhook "hook.example.com" denied the request: not today'],
    )
    assert.equal(await isStored(), false)
    await configure(at('/allow'))
    await configure(at('/label'), {}, mutating)
    assert.deepEqual((await create()).body.metadata.labels, { seen: 'yes' })
    const tried = await create(`${maps}?dryRun=All`)
    assert.deepEqual(tried.body.metadata.labels, { seen: 'yes' })
    assert.equal(await isStored(), false)
    await send('DELETE', `${mutating}/test`)
  })

  test('a deletion can be denied', async () => {
    await configure(at('/allow'))
    await create()
    await configure(at('/deny'))
    assert.equal((await send('DELETE', `${maps}/m${count}`)).status, 403)
    assert.equal((await send('DELETE', maps)).status, 403)
    assert.equal(await isStored(), true)
  })

  test('the server finds a service by its configuration, and verifies the name of the service', async () => {
    const service = { namespace: 'shop', name: 'hook', path: '/deny' }
    await configure({ service, caBundle: bundle(certificates) })
    assert.equal((await create()).status, 403)
    await configure({ service: { ...service, name: 'other' }, caBundle: bundle(certificates) })
    assert.match(
      (await create()).body.message,
      /Post "https:\/\/other\.shop\.svc:443\/deny\?timeout=1s": tls: failed to verify certificate: x509: certificate is valid for .*, not other\.shop\.svc$/,
    )
    await configure({ service: { ...service, name: 'unknown' } })
    assert.match(
      (await create()).body.message,
      /service "unknown" not found: .*--service-address shop\/unknown=https:\/\/<host>:<port>$/,
    )
  })

  test('the server does not call a webhook whose certificate another CA has signed', async () => {
    for (const caBundle of [bundle(strangers), '']) {
      await configure({ ...at('/allow'), caBundle })
      const { body } = await create()
      assert.match(
        body.message,
        /tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
      )
    }
    await configure({ ...at('/allow'), caBundle: Buffer.from('no PEM').toString('base64') })
    assert.match((await create()).body.message, /unable to load root certificates: /)
    await send('DELETE', `${configurations}/test`)
  })

  describe('that convert', () => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const things = (versionName: string, name = '') =>
      `/apis/shop.example.com/${versionName}/namespaces/default/things${name === '' ? '' : `/${name}`}`
    const schemaOf = (field: string) => ({
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } },
      },
    })
    const conversion = (path: string) => ({
      strategy: 'Webhook',
      webhook: { clientConfig: at(path), conversionReviewVersions: ['v1'] },
    })
    const definition = (plural: string, path: string) => ({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `${plural}.shop.example.com` },
      spec: {
        ...{ group: 'shop.example.com', scope: 'Namespaced', conversion: conversion(path) },
        names: { plural, kind: plural === 'things' ? 'Thing' : 'Slow' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: schemaOf('size') },
          { name: 'v2', served: true, storage: false, schema: schemaOf('length') },
        ],
      },
    })
    const thing = (versionName: string, name: string, spec: object) => ({
      ...{ apiVersion: `shop.example.com/${versionName}`, kind: 'Thing', metadata: { name }, spec },
    })

    async function define(plural: string, path: string): Promise<void> {
      assert.equal((await send('POST', crds, definition(plural, path))).status, 201)
      await until('it is served', async () => {
        const { body } = await send('GET', `${crds}/${plural}.shop.example.com`)
        return body.status?.conditions?.some(
          (each: Json) => each.type === 'Established' && each.status === 'True',
        )
      })
    }
    const convertBy = async (path: string): Promise<void> => {
      const patch = { spec: { conversion: conversion(path) } }
      const type = 'application/merge-patch+json'
      const { status, body } = await send('PATCH', `${crds}/things.shop.example.com`, patch, type)
      assert.equal(status, 200, JSON.stringify(body))
    }

    before(async () => {
      await define('things', '/convert')
      for (const [index, name] of ['a', 'b', 'c'].entries()) {
        const { status, body } = await send('POST', things('v1'), thing('v1', name, { size: index + 1 }))
        assert.equal(status, 201, JSON.stringify(body))
      }
    })

    test('objects are read and written in every version', async () => {
      assert.deepEqual((await send('GET', things('v2', 'b'))).body.spec, { length: 2 })
      const { body } = await send('GET', things('v2'))
      assert.deepEqual(
        body.items.map((each: Json) => [each.apiVersion, each.spec]),
        [1, 2, 3].map((length) => ['shop.example.com/v2', { length }]),
      )
      assert.equal((await send('POST', things('v2'), thing('v2', 'd', { length: 4 }))).status, 201)
      assert.deepEqual((await send('GET', things('v1', 'd'))).body.spec, { size: 4 })
      await send('DELETE', things('v1', 'd'))
    })

    const one = 'conversion webhook for shop.example.com/v1, Kind=Thing'
    const many = 'conversion webhook for shop.example.com/v2, Kind=ThingList'
    const lies: ReadonlyArray<[path: string, single: string, list: string]> = [
      [
        '/convert/rename',
        `${one} returned invalid object: must have the same name: a != another`,
        `${many} returned invalid converted object at index 0: must have the same name: a != another`,
      ],
      ['/convert/drop', `${one} returned 0 objects, expected 1`, `${many} returned 2 objects, expected 3`],
      ['/convert/add', `${one} returned 2 objects, expected 1`, `${many} returned 6 objects, expected 3`],
      [
        '/convert/lazy',
        `${one} returned invalid object at index 0: invalid groupVersion (expected shop.example.com/v2, received shop.example.com/v9)`,
        `${many} returned invalid converted object at index 0: invalid groupVersion (expected shop.example.com/v2, received shop.example.com/v9)`,
      ],
      [
        '/convert/other-kind',
        `${one} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
        `${many} returned invalid converted object at index 0: invalid kind (expected Thing, received Other)`,
      ],
      ['/convert/fail', `${one} failed: it is too old for that`, `${many} failed: it is too old for that`],
    ]
    for (const [path, single, list] of lies) {
      test(`what a webhook at ${path} says is not believed, and nothing is lost`, async () => {
        await convertBy(path)
        const got = await send('GET', things('v2', 'a'))
        assert.deepEqual([got.status, got.body.message], [500, single])
        const listed = await send('GET', things('v2'))
        assert.deepEqual([listed.status, listed.body.message], [500, list])
        const written = await send('POST', things('v2'), thing('v2', 'new', { length: 9 }))
        assert.equal(written.status, 500)
        assert.deepEqual((await send('GET', things('v1', 'a'))).body.spec, { size: 1 })
        assert.equal((await send('GET', things('v1'))).body.items.length, 3)
        await convertBy('/convert')
        assert.deepEqual((await send('GET', things('v2', 'a'))).body.spec, { length: 1 })
      })
    }

    test('a webhook that is dead keeps one version from being read, and no other', async () => {
      await webhook.kill()
      const { status, body } = await send('GET', things('v2', 'c'))
      assert.equal(status, 500)
      assert.match(
        body.message,
        /^conversion webhook for shop\.example\.com\/v1, Kind=Thing failed: Post "https:\/\/127\.0\.0\.1:\d+\/convert\?timeout=30s": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
      )
      assert.deepEqual((await send('GET', things('v1', 'c'))).body.spec, { size: 3 })
      assert.equal((await send('PUT', things('v1', 'c'), thing('v1', 'c', { size: 5 }))).status, 422)
      await webhook.start()
      assert.deepEqual((await send('GET', things('v2', 'c'))).body.spec, { length: 3 })
    })

    test('a webhook that crashes while it converts is asked again once it is back, and nothing is lost', async () => {
      await convertBy('/crash')
      const got = await send('GET', things('v2', 'a'))
      assert.equal(got.status, 500)
      assert.match(
        got.body.message,
        /^conversion webhook for shop\.example\.com\/v1, Kind=Thing failed: Post "/,
      )
      await until('the webhook is gone', () => !webhook.running)
      assert.equal((await send('POST', things('v2'), thing('v2', 'new', { length: 9 }))).status, 500)
      assert.equal((await send('GET', things('v1'))).body.items.length, 3)
      await webhook.start()
      await convertBy('/convert')
      assert.deepEqual((await send('GET', things('v2', 'a'))).body.spec, { length: 1 })
    })

    test('a webhook that never answers is waited for half a minute', async () => {
      await define('slows', '/silent')
      const path = '/apis/shop.example.com'
      const slow = { ...thing('v1', 's', { size: 1 }), kind: 'Slow' }
      assert.equal((await send('POST', `${path}/v1/namespaces/default/slows`, slow)).status, 201)
      const began = performance.now()
      const { status, body } = await send('GET', `${path}/v2/namespaces/default/slows/s`)
      assert.equal(status, 500)
      assert.match(body.message, /\/silent\?timeout=30s": context deadline exceeded$/)
      assert.ok(performance.now() - began >= 29_000)
      assert.equal((await send('GET', `${path}/v1/namespaces/default/slows/s`)).status, 200)
    })
  })

  test('after all that, the server lives', async () => {
    assert.equal(server.process.running, true)
    const { status } = await server.send('HTTP/1.1', { method: 'GET', path: '/livez' })
    assert.equal(status, 200)
  })
})
