import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type ApiObject } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { parseObjectText } from '../codec/index.ts'
import { WebhookCallFailed, type WebhookClient } from '../webhooks/index.ts'
import { webhookConverter } from './webhook-converter.ts'

type Json = Record<string, unknown>
interface Request {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly ApiObject[]
}
type Answer = (request: Request, review: Json) => unknown

const never = new AbortController().signal
const from = 'shop.example.com/v1'
const to = 'shop.example.com/v2'
const thing = (name: string, more: Json = {}, apiVersion = from): ApiObject => ({
  apiVersion,
  kind: 'Thing',
  metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: '7', labels: { a: 'b' } },
  ...more,
})

/** The answer of a working webhook. */
const converted = ({ objects, desiredAPIVersion }: Request): Json[] =>
  objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }))
const success = (request: Request, convertedObjects: unknown = converted(request)): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  response: { uid: request.uid, result: { status: 'Success' }, convertedObjects },
})

interface Given {
  readonly objects?: readonly ApiObject[]
  readonly answer?: Answer
  readonly versions?: readonly string[]
  readonly maxBatchBytes?: number
}

async function convert({
  objects = [thing('a')],
  answer = (request) => success(request),
  versions = ['v1'],
  maxBatchBytes,
}: Given) {
  const requests: Json[] = []
  const client: WebhookClient = async ({ body, timeoutMs }) => {
    const review = parseObjectText(Buffer.from(body).toString())
    requests.push({ ...review, timeoutMs })
    const said = answer(review['request'] as Request, review)
    return parseObjectText(JSON.stringify(said))
  }
  const { random } = new Simulation('conversion').process('a')
  const options = { client, random, clientConfig: { url: 'https://h' }, listKind: 'ThingList' }
  const limit = maxBatchBytes === undefined ? {} : { maxBatchBytes }
  const converter = webhookConverter({ ...options, ...limit, conversionReviewVersions: versions })
  return { requests, objects: await converter(objects, to, never) }
}

test('webhook conversion: numbers and unknown fields survive there and back', async () => {
  const text = `{"apiVersion":"${from}","kind":"Thing","metadata":{"name":"a"},"spec":{"big":9007199254740993,"one":1.0,"__proto__":{"x":1}}}`
  const { objects, requests } = await convert({ objects: [parseObjectText(text) as ApiObject] })
  assert.equal(JSON.stringify(objects[0]), text.replace('/v1', '/v2'))
  assert.equal(requests[0]?.['timeoutMs'], 30_000)
  assert.match((requests[0]?.['request'] as Request | undefined)?.uid ?? '', /^[0-9a-f-]{36}$/)
})

test('webhook conversion: only what needs it is sent, in batches, and everything keeps its place', async () => {
  const objects = [
    thing('a'),
    thing('b', {}, to),
    thing('c'),
    thing('d', { text: 'x'.repeat(300) }),
    thing('e'),
  ]
  const { requests, objects: all } = await convert({ objects, maxBatchBytes: 350 })
  const sent = requests.map(({ request }) =>
    (request as Request).objects.map(({ metadata }) => metadata.name),
  )
  assert.deepEqual(sent, [['a', 'c'], ['d'], ['e']])
  assert.deepEqual(
    all.map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
    ['a', 'b', 'c', 'd', 'e'].map((name) => [to, name]),
  )
  assert.equal(all[1], objects[1])
})

test('webhook conversion: without objects there is no call', async () => {
  const { requests } = await convert({ objects: [thing('a', {}, to)] })
  assert.deepEqual(requests, [])
})

const reviewVersions: ReadonlyArray<[versions: string[], sent: string]> = [
  [['v1', 'v1beta1'], 'v1'],
  [['v1beta1', 'v1'], 'v1beta1'],
  [['v9', 'v1'], 'v1'],
]
for (const [versions, sent] of reviewVersions) {
  test(`webhook conversion: of ${versions.join(', ')} the first that is known is sent`, async () => {
    const { requests } = await convert({ versions })
    assert.equal(requests[0]?.['apiVersion'], `apiextensions.k8s.io/${sent}`)
  })
}

test('webhook conversion: the older review was never held to its uid and kind', async () => {
  const answer: Answer = (request) => ({
    response: { result: { status: 'Success' }, convertedObjects: converted(request) },
  })
  const { objects } = await convert({ versions: ['v1beta1'], answer })
  assert.equal(objects[0]?.apiVersion, to)
})

test('webhook conversion: of metadata, only labels and annotations are the work of the webhook', async () => {
  const answer: Answer = (request) =>
    success(request, [
      {
        ...converted(request)[0],
        metadata: { name: 'a', namespace: 'n', uid: 'uid-a', resourceVersion: '8', annotations: { c: 'd' } },
      },
    ])
  const { objects } = await convert({ answer })
  const { labels: _, ...kept } = thing('a').metadata
  assert.deepEqual(objects[0]?.metadata, { ...kept, annotations: { c: 'd' } })
})

const one = `conversion webhook for ${from}, Kind=Thing`
const many = `conversion webhook for ${to}, Kind=ThingList`
const two = [thing('a'), thing('b')]
/** The answer with the metadata of the last object changed. */
const lying =
  (change: Json): Answer =>
  (request) => {
    const all = converted(request)
    const last = all.at(-1) ?? {}
    return success(request, [
      ...all.slice(0, -1),
      { ...last, metadata: { ...(last['metadata'] as Json), ...change } },
    ])
  }

const failures: ReadonlyArray<[name: string, given: Given, message: string | RegExp]> = [
  [
    'a call that fails',
    {
      answer: () => {
        throw new WebhookCallFailed('Post "https://h/?timeout=30s": EOF')
      },
    },
    `${one} failed: Post "https://h/?timeout=30s": EOF`,
  ],
  [
    'reviews of unknown versions',
    { versions: ['v9'] },
    `${one} failed: no supported conversion review versions`,
  ],
  [
    'another kind of answer',
    { answer: () => ({ kind: 'Other' }) },
    `${one} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=Other`,
  ],
  [
    'no response',
    { answer: (request) => ({ ...success(request), response: null }) },
    `${one} failed: no response provided`,
  ],
  [
    'another uid',
    { answer: (request) => success({ ...request, uid: 'x' }) },
    /^conversion webhook for .* failed: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
  ],
  [
    'a refusal',
    {
      answer: ({ uid }) => ({
        ...success({ uid } as Request, []),
        response: { uid, result: { status: 'Failed', message: 'I cannot' } },
      }),
    },
    `${one} failed: I cannot`,
  ],
  [
    'a refusal without words',
    { answer: ({ uid }) => ({ ...success({ uid } as Request, []), response: { uid } }) },
    `${one} failed: response.result.status was '', not 'Success'`,
  ],
  ['nothing', { answer: (request) => success(request, null) }, `${one} returned 0 objects, expected 1`],
  [
    'fewer objects than were sent',
    { objects: two, answer: (request) => success(request, converted(request).slice(1)) },
    `${many} returned 1 objects, expected 2`,
  ],
  [
    'another order',
    { objects: two, answer: (request) => success(request, converted(request).reverse()) },
    `${many} returned invalid converted object at index 0: must have the same name: a != b`,
  ],
  [
    'another name',
    { answer: lying({ name: 'x' }) },
    `${one} returned invalid object: must have the same name: a != x`,
  ],
  [
    'another namespace',
    { objects: two, answer: lying({ namespace: 'x' }) },
    `${many} returned invalid converted object at index 1: must have the same namespace: n != x`,
  ],
  [
    'another uid of the object',
    { answer: lying({ uid: 'x' }) },
    `${one} returned invalid object: must have the same UID: uid-a != x`,
  ],
  [
    'the version that it was in',
    { answer: (request) => success(request, request.objects) },
    `${one} returned invalid object at index 0: invalid groupVersion (expected ${to}, received ${from})`,
  ],
  [
    'another kind',
    { answer: (request) => success(request, [{ ...converted(request)[0], kind: 'Other' }]) },
    `${one} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
  ],
  [
    'no kind',
    { answer: (request) => success(request, [{}]) },
    `${one} returned invalid object at index 0: Object 'Kind' is missing in '{}'`,
  ],
  [
    'a text',
    { answer: (request) => success(request, ['a']) },
    `${one} returned invalid object at index 0: json: cannot unmarshal string into Go value of type map[string]interface {}`,
  ],
  [
    'no metadata',
    {
      objects: [thing('', { metadata: {} })],
      answer: (request) => success(request, [{ apiVersion: to, kind: 'Thing' }]),
    },
    `${one} returned invalid metadata: missing metadata in converted object`,
  ],
  [
    'labels that are none',
    { answer: lying({ labels: [] }) },
    `${one} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
  ],
  [
    'a label that is a number',
    { objects: two, answer: lying({ labels: { a: 1 } }) },
    `${many} returned invalid metadata in object at index 1: metadata.labels[a] must be a string, but is int64 in converted object`,
  ],
  [
    'a label that no client may set',
    { answer: lying({ labels: { 'a b': 'c' } }) },
    /returned invalid metadata: metadata\.labels: Invalid value: "a b": name part must consist of/,
  ],
  [
    'too long annotations',
    { answer: lying({ annotations: { a: 'x'.repeat(300_000) } }) },
    `${one} returned invalid metadata: metadata.annotation: Too long: may not be more than 262144 bytes`,
  ],
]

for (const [name, given, message] of failures) {
  test(`webhook conversion: ${name}`, () =>
    assert.rejects(convert(given), (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 500)
      if (typeof message === 'string') assert.equal(error.message, message)
      else assert.match(error.message, message)
      return true
    }))
}
