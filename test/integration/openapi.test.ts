import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

type Send = Awaited<ReturnType<typeof startServer>>['send']

/** Key and address of every document. */
async function indexOf(send: Send): Promise<ReadonlyArray<[key: string, url: string]>> {
  const { paths } = JSON.parse((await send('GET', '/openapi/v3')).body)
  return Object.entries<{ serverRelativeURL: string }>(paths).map(([key, { serverRelativeURL }]) => [
    key,
    serverRelativeURL,
  ])
}

/** Every reference in a document, wherever it is. There is a field of that name too: its schema is no string. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === '$ref' && typeof each === 'string' ? [each] : refsIn(each),
  )
}

test('openapi: every document is there, and holds all that it refers to', async () => {
  const { send } = await startServer('openapi documents')
  const index = await indexOf(send)
  assert.ok(index.length > 5)
  for (const [key, url] of index) {
    const { status, body, headers } = await send('GET', url)
    assert.equal(status, 200, key)
    const hash = createHash('sha512').update(JSON.stringify(body)).digest('hex').toUpperCase()
    assert.equal(url, `/openapi/v3/${key}?hash=${hash}`)
    assert.equal(headers['etag'], `"${hash}"`)
    assert.equal(headers['cache-control'], 'public, immutable')
    const refs = refsIn(body)
    assert.ok(refs.length > 0, key)
    for (const ref of refs) {
      assert.ok(body.components.schemas[ref.replace('#/components/schemas/', '')], `${key} refers to ${ref}`)
    }
    assert.doesNotMatch(JSON.stringify(body), /x-strata-/)
  }
})

const actions: Readonly<Record<string, string>> = {
  create: 'post',
  update: 'put',
}

test('openapi: whatever discovery names has an operation, and a kind', async () => {
  const { send } = await startServer('openapi operations')
  for (const [key, url] of await indexOf(send)) {
    if (!/^(?:api|apis\/[^/]+)\/[^/]+$/.test(key)) continue
    const { resources } = (await send('GET', `/${key}`)).body
    const document = (await send('GET', url)).body
    const operations = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(
      ([path, item]) =>
        Object.values(item).map((operation) => {
          const kind = operation['x-kubernetes-group-version-kind'] as { kind: string } | undefined
          return `${path.replace(`/${key}/`, '').replace('namespaces/{namespace}/', '')} ${operation['x-kubernetes-action']} ${kind?.kind}`
        }),
    )
    for (const { name, kind, verbs } of resources) {
      const [plural, part] = name.split('/')
      for (const verb of verbs.filter((each: string) => each !== 'watch')) {
        const isOfCollection = ['list', 'create', 'deletecollection'].includes(verb)
        const path = part ? `${plural}/{name}/${part}` : isOfCollection ? plural : `${plural}/{name}`
        const wanted = `${path} ${actions[verb] ?? verb} ${kind}`
        assert.ok(operations.includes(wanted), `${key} has no operation ${wanted}`)
      }
    }
    const kinds = Object.values<Record<string, unknown>>(document.components.schemas)
      .flatMap(
        (schema) => (schema['x-kubernetes-group-version-kind'] as { kind: string }[] | undefined) ?? [],
      )
      .map(({ kind }) => kind)
    for (const { kind, verbs } of resources) {
      assert.ok(kinds.includes(kind), kind)
      assert.ok(!verbs.includes('list') || kinds.includes(`${kind}List`), `list of ${kind}`)
    }
  }
})

test('openapi: types of one name are the same in every document', async () => {
  const { send } = await startServer('openapi types')
  const seen = new Map<string, unknown>()
  for (const [key, url] of await indexOf(send)) {
    const { schemas } = (await send('GET', url)).body.components
    for (const [name, { 'x-kubernetes-group-version-kind': _, ...schema }] of Object.entries<
      Record<string, unknown>
    >(schemas)) {
      assert.deepEqual(schema, seen.get(name) ?? schema, `${name} in ${key}`)
      seen.set(name, schema)
    }
  }
})

test('openapi: documents are known by their hash, and sent once', async () => {
  const { send } = await startServer('openapi caching')
  const path = '/openapi/v3/api/v1'
  const plain = await send('GET', path)
  assert.notEqual(plain.headers['cache-control'], 'public, immutable')
  const etag = String(plain.headers['etag'])
  const again = await send('GET', path, undefined, { 'if-none-match': etag })
  assert.deepEqual([again.status, again.body], [304, ''])
  const stale = await send('GET', `${path}?hash=0000`)
  assert.deepEqual(
    [stale.status, stale.headers['location']],
    [301, `${path}?hash=${etag.replaceAll('"', '')}`],
  )
  const index = await send('GET', '/openapi/v3')
  const known = await send('GET', '/openapi/v3', undefined, { 'if-none-match': index.headers['etag'] })
  assert.equal(known.status, 304)
  assert.equal((await send('POST', '/openapi/v3')).status, 405)
})

const protobuf = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'
const acceptCases: ReadonlyArray<[accept: string, status: number]> = [
  ['application/json', 200],
  ['application/json, */*', 200],
  ['application/yaml, */*', 200],
  [protobuf, 406],
  [`${protobuf},application/json`, 200],
  ['text/html', 406],
]
for (const [accept, want] of acceptCases) {
  test(`openapi: Accept ${accept} is answered with ${want}`, async () => {
    const { send } = await startServer('openapi accept')
    const answer = await send('GET', '/openapi/v3/api/v1', undefined, { accept })
    assert.equal(answer.status, want)
    assert.equal(answer.headers['content-type'], want === 200 ? 'application/json' : undefined)
    assert.equal(
      (await send('GET', '/openapi/v3/apis/nope/v1', undefined, { accept })).status,
      want === 200 ? 404 : 406,
    )
  })
}

test('openapi: the one document of v2 has every path and every type of v3', async () => {
  const { send } = await startServer('openapi v2')
  const { status, headers, body } = await send('GET', '/openapi/v2')
  assert.deepEqual([status, headers['content-type'], body.swagger], [200, 'application/json', '2.0'])
  for (const [key, url] of await indexOf(send)) {
    const { paths, components } = (await send('GET', url)).body
    for (const path of Object.keys(paths)) assert.ok(body.paths[path], `${key}: ${path}`)
    for (const name of Object.keys(components.schemas)) assert.ok(body.definitions[name], `${key}: ${name}`)
  }
  for (const ref of refsIn(body)) assert.ok(body.definitions[ref.replace('#/definitions/', '')], ref)
  const known = await send('GET', '/openapi/v2', undefined, { 'if-none-match': headers['etag'] })
  assert.equal(known.status, 304)
})

const swaggerProtobuf = (mark: string): string =>
  `application/com.github.proto-openapi.spec.v2${mark}v1.0+protobuf`
const swaggerCases: ReadonlyArray<[accept: string, want: string | undefined]> = [
  ['*/*', 'application/json'],
  [swaggerProtobuf('@'), swaggerProtobuf('.')],
  [swaggerProtobuf('.'), swaggerProtobuf('.')],
  [`${swaggerProtobuf('@')};q=0.5,application/json`, 'application/json'],
  ['application/vnd.kubernetes.protobuf', undefined],
]
for (const [accept, want] of swaggerCases) {
  test(`openapi: v2 for ${accept} is ${want ?? 'refused'}`, async () => {
    const { send } = await startServer('openapi v2 accept')
    const answer = await send('GET', '/openapi/v2', undefined, { accept })
    assert.deepEqual([answer.status, answer.headers['content-type']], [want ? 200 : 406, want])
  })
}
