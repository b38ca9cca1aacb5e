import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configuration, configurationPath, group } from '../support/admission-server.ts'
import { startServer } from '../support/one-server.ts'

const path = configurationPath('Validating')
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

test('webhook configurations: discovery, columns and defaults are as upstream has them', async () => {
  const { send } = await startServer('webhook configurations')
  const { body: list } = await send('GET', group)
  assert.deepEqual(
    list.resources
      .filter(({ name }: { name: string }) => name.endsWith('webhookconfigurations'))
      .map(({ name, singularName, categories, namespaced }: Record<string, unknown>) => [
        ...[name, singularName, categories, namespaced],
      ]),
    ['mutating', 'validating'].map((kind) => [
      ...[`${kind}webhookconfigurations`, `${kind}webhookconfiguration`, ['api-extensions'], false],
    ]),
  )
  const { status, body } = await send('POST', path, configuration('Validating', 'c', ['a'], ['b']))
  assert.equal(status, 201)
  assert.equal(body.metadata.generation, 1)
  const [webhook] = body.webhooks
  assert.deepEqual(
    [webhook.failurePolicy, webhook.matchPolicy, webhook.timeoutSeconds, webhook.namespaceSelector],
    ['Fail', 'Equivalent', 10, {}],
  )
  assert.equal(webhook.rules[0].scope, '*')
  const { body: shown } = await send('GET', path, undefined, table)
  assert.deepEqual(
    shown.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Webhooks', 'Age'],
  )
  assert.deepEqual(shown.rows[0].cells.slice(0, 2), ['c', 2])
})

test('webhook configurations: webhooks are merged by name, and counted as generations', async () => {
  const { send } = await startServer('webhook generations')
  await send('POST', path, configuration('Validating', 'c', ['a'], ['b']))
  const labelled = await send('PATCH', `${path}/c`, { metadata: { labels: { x: 'y' } } }, strategic)
  assert.equal(labelled.body.metadata.generation, 1)
  const change = { webhooks: [{ name: 'b.example.com', timeoutSeconds: 3 }] }
  const { body } = await send('PATCH', `${path}/c`, change, strategic)
  assert.equal(body.metadata.generation, 2)
  assert.deepEqual(
    body.webhooks.map(({ name, timeoutSeconds }: Record<string, unknown>) => [name, timeoutSeconds]),
    [
      ['a.example.com', 10],
      ['b.example.com', 3],
    ],
  )
})

test('webhook configurations: problems are reported field by field', async () => {
  const { send } = await startServer('wrong webhooks')
  const wrong = configuration('Validating', 'c', ['a', { sideEffects: 'Some', clientConfig: {} }])
  const { status, body } = await send('POST', path, wrong)
  assert.equal(status, 422)
  assert.equal(
    body.message,
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io "c" is invalid: [webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun", webhooks[0].clientConfig: Required value: exactly one of url or service is required]',
  )
  const empty = await send('POST', path, { metadata: { name: 'c' }, webhooks: [{}] })
  assert.deepEqual(
    empty.body.details.causes.map(({ field }: { field: string }) => field),
    ['name', 'sideEffects', 'clientConfig', 'admissionReviewVersions'].map((each) => `webhooks[0].${each}`),
  )
})

test('webhook configurations: null is nothing, wherever it stands', async () => {
  const { send } = await startServer('null webhooks')
  const nulls = [
    null,
    { rules: [null] },
    { matchConditions: [null] },
    { clientConfig: null },
    { clientConfig: { service: null } },
    { namespaceSelector: { matchExpressions: [null], matchLabels: { a: null } } },
    { admissionReviewVersions: [null] },
    {
      rules: [{ operations: [null], resources: [null], apiGroups: [null], apiVersions: [null], scope: null }],
    },
  ]
  const { webhooks } = configuration('Validating', 'c', ['a'])
  for (const each of nulls) {
    const wrong = { metadata: { name: 'c' }, webhooks: [each && { ...webhooks[0], ...each }] }
    assert.equal((await send('POST', `${path}?dryRun=All`, wrong)).status, 422, JSON.stringify(each))
  }
})
