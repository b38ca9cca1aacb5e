import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { sleep } from '@strata/world'
import { type Answer, call } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const name = 'points.example.dev'
const at = (versionName: string, one = ''): string =>
  `/apis/example.dev/${versionName}/namespaces/default/points${one === '' ? '' : `/${one}`}`
const text = { type: 'string' }
const versionOf = (versionName: string, storage: boolean, properties: object, fields: readonly string[]) => ({
  name: versionName,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  selectableFields: fields.map((jsonPath) => ({ jsonPath })),
})
/** v1 has a host and its port in one text, v2 has two fields; stored is v1. */
const definition = (conversion: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'points', singular: 'point', kind: 'Point', listKind: 'PointList' },
    conversion,
    versions: [
      versionOf('v1', true, { address: text }, []),
      versionOf('v2', false, { host: text, port: { type: 'integer' } }, ['.spec.host']),
    ],
  },
})

interface Point extends ApiObject {
  spec?: { address?: string; host?: string; port?: number }
}

function convert(object: Point, apiVersion: string): Point {
  const { address = '', host = '', port = 0 } = object.spec ?? {}
  const [itsHost = '', itsPort = '0'] = address.split(':')
  const spec = apiVersion.endsWith('v1')
    ? { address: `${host}:${port}` }
    : { host: itsHost, port: Number(itsPort) }
  return { ...object, apiVersion, spec }
}

/** A webhook without a network, which can be made to fail; it counts its calls. */
function webhook() {
  const asked: number[] = []
  const state: { fails: boolean; whileAsked?: () => Promise<unknown> } = { fails: false }
  return {
    asked,
    state,
    client: async ({ body }: { readonly body: Uint8Array }): Promise<Record<string, unknown>> => {
      const { apiVersion, kind, request } = JSON.parse(Buffer.from(body).toString())
      asked.push(request.objects.length)
      await state.whileAsked?.()
      const response = state.fails
        ? { uid: request.uid, result: { status: 'Failure', message: 'no idea' } }
        : {
            uid: request.uid,
            result: { status: 'Success' },
            convertedObjects: request.objects.map((each: Point) => convert(each, request.desiredAPIVersion)),
          }
      return { apiVersion, kind, response }
    },
  }
}

const byWebhook = {
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://webhook.example.dev/convert' } },
}

const ways = {
  'a webhook': () => ({ conversion: byWebhook, options: { webhooks: webhook().client } }),
  'a function of the program': () => ({
    conversion: { strategy: 'None' },
    options: { conversions: { [name]: convert } },
  }),
}

const v2 = (one: string, host: string, port: number): Point => ({
  apiVersion: 'example.dev/v2',
  kind: 'Point',
  metadata: { name: one },
  spec: { host, port },
})
const merge = (manager: string) => ({ 'content-type': 'application/merge-patch+json', manager })

async function serve(seed: string, conversion: object, options: Parameters<typeof startServer>[1]) {
  const started = await startServer(seed, options)
  const { send } = started
  await send('POST', definitions, definition(conversion))
  for (let look = 0; look < 100; look++) {
    const { body } = await send('GET', `${definitions}/${name}`)
    if (JSON.stringify(body).includes('InitialNamesAccepted')) return started
  }
  throw new Error('the definition was not established')
}

const specOf = ({ status, body }: Answer): unknown => {
  assert.ok(status < 300, JSON.stringify(body))
  return body.spec
}

for (const [how, way] of Object.entries(ways)) {
  test(`conversion by ${how}: objects are written, read, listed and selected in each version`, async () => {
    const { conversion, options } = way()
    const { send } = await serve(`conversion by ${how}`, conversion, options)
    assert.deepEqual(specOf(await send('POST', at('v2'), v2('a', 'h', 80))), { host: 'h', port: 80 })
    await send('POST', at('v2'), v2('b', 'other', 81))
    assert.deepEqual(specOf(await send('GET', at('v1', 'a'))), { address: 'h:80' })
    assert.deepEqual(specOf(await send('GET', at('v2', 'a'))), { host: 'h', port: 80 })
    const names = async (target: string): Promise<string[]> =>
      (await send('GET', target)).body.items.map((each: ApiObject) => each.metadata.name)
    assert.deepEqual(await names(at('v2')), ['a', 'b'])
    assert.deepEqual(await names(`${at('v2')}?fieldSelector=spec.host%3Dother`), ['b'])
    const patched = await send('PATCH', at('v2', 'a'), { spec: { port: 90 } }, merge('x'))
    assert.deepEqual(specOf(patched), { host: 'h', port: 90 })
    assert.deepEqual(specOf(await send('GET', at('v1', 'a'))), { address: 'h:90' })
  })

  test(`conversion by ${how}: who owns a field in one version loses it by a change in another`, async () => {
    const { conversion, options } = way()
    const { send } = await serve(`owners by ${how}`, conversion, options)
    const first = { ...v2('a', '', 0), apiVersion: 'example.dev/v1', spec: { address: 'h:80' } }
    await send('POST', `${at('v1')}?fieldManager=old`, first)
    const { body } = await send(
      'PATCH',
      `${at('v2', 'a')}?fieldManager=new`,
      { spec: { port: 81 } },
      merge('new'),
    )
    const owned = Object.fromEntries(
      body.metadata.managedFields.map((each: { manager: string; apiVersion: string; fieldsV1: object }) => [
        `${each.manager} ${each.apiVersion}`,
        each.fieldsV1,
      ]),
    )
    assert.deepEqual(owned, {
      'new example.dev/v2': { 'f:spec': { 'f:port': {} } },
      'old example.dev/v1': { 'f:spec': {} },
    })
  })

  test(`conversion by ${how}: a watch shows every change in its own version, in order`, async () => {
    const { conversion, options } = way()
    const { send, server, simulation } = await serve(`watch by ${how}`, conversion, options)
    const watch = await simulation.settle(
      openWatch(server, `${at('v2')}?watch=1&fieldSelector=spec.host%3Dh`),
    )
    await send('POST', at('v2'), v2('a', 'h', 1))
    await send('POST', at('v2'), v2('b', 'other', 2))
    await send('PATCH', at('v2', 'a'), { spec: { port: 3 } }, merge('x'))
    await send('PATCH', at('v2', 'a'), { spec: { host: 'gone' } }, merge('x'))
    await simulation.settle(sleep(simulation.process('reader').clock, 100))
    assert.deepEqual(
      watch.events.map(({ type, object }) => [type, (object as Point).metadata.name, (object as Point).spec]),
      [
        ['ADDED', 'a', { host: 'h', port: 1 }],
        ['MODIFIED', 'a', { host: 'h', port: 3 }],
        ['DELETED', 'a', { host: 'h', port: 3 }],
      ],
    )
    watch.cut()
  })
}

test('conversion by a webhook: a list is one question, and what is stored in its version none', async () => {
  const asked = webhook()
  const { send } = await serve('questions', byWebhook, { webhooks: asked.client })
  for (const one of ['a', 'b', 'c']) {
    const object = { ...v2(one, '', 0), apiVersion: 'example.dev/v1', spec: { address: 'h:1' } }
    await send('POST', at('v1'), object)
  }
  assert.deepEqual(asked.asked, [])
  await send('GET', at('v1'))
  assert.deepEqual(asked.asked, [])
  await send('GET', at('v2'))
  await send('GET', at('v2'))
  assert.deepEqual(asked.asked, [3])
})

test('conversion by a webhook: one that cannot is said so, and nothing is stored', async () => {
  const asked = webhook()
  const { send } = await serve('failing', byWebhook, { webhooks: asked.client })
  await send('POST', at('v2'), v2('a', 'h', 1))
  asked.state.fails = true
  const refused = await send('POST', at('v2'), v2('b', 'h', 2))
  assert.equal(refused.status, 500)
  assert.match(refused.body.message, /conversion webhook for example\.dev\/v2, Kind=Point failed: no idea/)
  const changed = await send('PATCH', at('v2', 'a'), { spec: { port: 5 } }, merge('x'))
  assert.equal(changed.status, 500)
  assert.deepEqual(specOf(await send('GET', at('v1', 'a'))), { address: 'h:1' })
  assert.equal((await send('GET', at('v1', 'b'))).status, 404)
  asked.state.fails = false
  assert.deepEqual(specOf(await send('PATCH', at('v2', 'a'), { spec: { port: 6 } }, merge('x'))), {
    host: 'h',
    port: 6,
  })
})

for (const [what, target] of Object.entries({ list: at('v2'), get: at('v2', 'a') })) {
  test(`conversion by a webhook: a ${what} that asks while the webhook is taken away is answered without it`, async () => {
    const asked = webhook()
    const { send, server } = await serve(`taken away from a ${what}`, byWebhook, { webhooks: asked.client })
    await send('POST', at('v1'), {
      ...v2('a', '', 0),
      apiVersion: 'example.dev/v1',
      spec: { address: 'h:80' },
    })
    asked.state.fails = true
    asked.state.whileAsked = () =>
      call(
        server.handle,
        'PATCH',
        `${definitions}/${name}`,
        { spec: { conversion: { strategy: 'None', webhook: null } } },
        merge('x'),
      )
    const answer = await send('GET', target)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(asked.asked.length, 1)
    const objects = what === 'list' ? answer.body.items : [answer.body]
    assert.deepEqual(
      objects.map(({ apiVersion }: Point) => apiVersion),
      ['example.dev/v2'],
    )
  })
}
