import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { type Clock, sleep } from '@strata/world'
import { startServer } from '../support/one-server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'points.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'points', kind: 'Point' },
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: 'https://hook.example.dev/convert' },
      },
    },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ],
  },
}
const at = (one = ''): string => `/apis/example.dev/v2/namespaces/default/points${one && `/${one}`}`
const point = (name: string, metadata: object = {}) => ({
  apiVersion: 'example.dev/v2',
  kind: 'Point',
  metadata: { name, ...metadata },
  spec: { x: 1 },
})

/** A webhook that takes its time, so that by its answer it is a second later; it counts what it is asked. */
async function serve(seed: string) {
  const asked = { conversions: 0, admissions: 0 }
  let clock: Clock | undefined
  const webhooks = async ({ body }: { readonly body: Uint8Array }): Promise<Record<string, unknown>> => {
    const review = JSON.parse(Buffer.from(body).toString())
    const { uid, desiredAPIVersion, objects } = review.request
    if (review.kind === 'AdmissionReview') {
      asked.admissions++
      return { ...review, response: { uid, allowed: true } }
    }
    asked.conversions++
    if (clock) await sleep(clock, 1_500)
    const convertedObjects = objects.map((each: ApiObject) => ({ ...each, apiVersion: desiredAPIVersion }))
    return { ...review, response: { uid, result: { status: 'Success' }, convertedObjects } }
  }
  const started = await startServer(seed, { webhooks })
  clock = started.simulation.process('webhook').clock
  await started.send('POST', definitions, definition)
  await started.simulation.settle(sleep(clock, 3_000))
  return { ...started, asked }
}

test('conversion by a slow webhook: what is applied anew is asked about once, and stored', async () => {
  const { send, asked } = await serve('applied anew')
  const applied = await send('PATCH', `${at('a')}?fieldManager=me`, point('a'), {
    'content-type': 'application/apply-patch+yaml',
  })
  assert.equal(applied.status, 201, JSON.stringify(applied.body))
  // To be stored in v1, and to be answered in v2.
  assert.equal(asked.conversions, 2)
})

test('conversion by a slow webhook: what its finalizers keep can be deleted', async () => {
  const { send, asked } = await serve('kept by finalizers')
  assert.equal((await send('POST', at(), point('a', { finalizers: ['example.dev/wait'] }))).status, 201)
  asked.conversions = 0
  const deleted = await send('DELETE', at('a'))
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
  assert.ok(deleted.body.metadata.deletionTimestamp)
  assert.equal(asked.conversions, 2)
})

test('conversion by a webhook: no admission webhook is called twice because of it', async () => {
  const { send, asked } = await serve('admission and conversion')
  await send('POST', at(), point('a'))
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const rules = [
      { apiGroups: ['example.dev'], apiVersions: ['v2'], operations: ['*'], resources: ['points'] },
    ]
    const hook = { name: 'a.example.dev', clientConfig: { url: 'https://hook.example.dev/admit' }, rules }
    const configured = await send('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'a' },
      webhooks: [{ ...hook, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
    })
    assert.equal(configured.status, 201, JSON.stringify(configured.body))
  }
  const patched = await send(
    'PATCH',
    at('a'),
    { spec: { x: 2 } },
    {
      'content-type': 'application/merge-patch+json',
    },
  )
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  assert.equal(asked.admissions, 2)
})
