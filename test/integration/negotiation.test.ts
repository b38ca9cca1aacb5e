import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, utf8 } from '@strata/world'
import { adminToken } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

test('negotiation: objects, lists and errors in YAML', async () => {
  const { send } = await startServer('yaml')
  await send('POST', maps, configMap('a', { k: 'true', l: 'x\ny\n' }))
  const one = await send('GET', `${maps}/a`, undefined, { accept: 'application/yaml' })
  assert.equal(one.headers['content-type'], 'application/yaml')
  assert.match(one.body, /^apiVersion: v1\ndata:\n {2}k: "true"\n {2}l: \|\n {4}x\n {4}y\nkind: ConfigMap\n/)
  const all = await send('GET', maps, undefined, { accept: 'application/yaml' })
  assert.match(all.body, /^apiVersion: v1\nitems:\n- /)
  const error = await send('GET', `${maps}/b`, undefined, { accept: 'application/yaml' })
  assert.equal(error.status, 404)
  assert.match(error.body, /^apiVersion: v1\ncode: 404\ndetails:\n {2}kind: configmaps\n {2}name: b\n/)
})

test('negotiation: a long list in YAML is the same as a short one, only longer', async () => {
  const { send } = await startServer('long yaml')
  for (let index = 0; index < 450; index++) await send('POST', maps, configMap(`a-${index}`))
  const { body } = await send('GET', maps, undefined, { accept: 'application/yaml' })
  assert.equal(body.match(/^- /gm).length, 450)
  assert.match(
    body,
    /^apiVersion: v1\nitems:\n- [\s\S]+\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/,
  )
})

test('negotiation: people get indentation, programs do not', async () => {
  const { simulation, server } = await startServer('pretty')
  const cases: ReadonlyArray<[query: string, agent: string, isIndented: boolean]> = [
    ['', 'kubectl/v1.36', false],
    ['?pretty=true', 'kubectl/v1.36', true],
    ['', 'curl/8', true],
    ['', 'Mozilla/5.0 (X11)', true],
    ['?pretty=false', 'curl/8', false],
  ]
  for (const [query, agent, isIndented] of cases) {
    const headers = { authorization: `Bearer ${adminToken}`, 'user-agent': agent }
    const signal = new AbortController().signal
    const request = { method: 'GET', target: `${maps}${query}`, headers, signal }
    const { body } = await simulation.settle(server.handle(request))
    const text = utf8.decode(await readAll(body))
    assert.equal(text.startsWith('{\n  "kind": "ConfigMapList"'), isIndented, `${query} ${agent}: ${text}`)
  }
})

test('negotiation: metadata alone, of reads and of writes', async () => {
  const { send } = await startServer('metadata')
  const created = await send('POST', maps, configMap('a'), { accept: partial })
  assert.deepEqual(Object.keys(created.body), ['kind', 'apiVersion', 'metadata'])
  assert.equal(created.body.kind, 'PartialObjectMetadata')
  assert.equal(created.body.apiVersion, 'meta.k8s.io/v1')
  const read = await send('GET', `${maps}/a`, undefined, { accept: partial })
  assert.deepEqual(read.body, created.body)
  const list = await send('GET', maps, undefined, { accept: partial.replace('Metadata;', 'MetadataList;') })
  assert.equal(list.body.kind, 'PartialObjectMetadataList')
  assert.deepEqual(
    list.body.items.map((each: { kind: string; metadata: { name: string } }) => [
      each.kind,
      each.metadata.name,
    ]),
    [['PartialObjectMetadata', 'a']],
  )
  assert.equal((await send('GET', maps, undefined, { accept: partial })).status, 406)
})

test('negotiation: nothing that we can make is refused before anything is done', async () => {
  const { send } = await startServer('not acceptable')
  const refused = await send('POST', maps, configMap('a'), { accept: 'text/html' })
  assert.equal(refused.status, 406)
  assert.match(refused.body.message, /^406: Not Acceptable\n\nAvailable representations: application\/json, /)
  assert.equal((await send('GET', `${maps}/a`)).status, 404)
})
