import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, maps, startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const damaged: Readonly<Record<string, string>> = {
  'not JSON': '{"kind":"ConfigMap","apiVersion":"v1","meta',
  'without metadata': '{"apiVersion":"v1","kind":"ConfigMap","data":{}}',
  'without a name': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"x":1}}',
  'no object': '[1,2]',
  'encrypted with an unknown key': 'k8s:enc:aesgcm:v1:key1:\u0001\u0002\u0003',
}

for (const [name, text] of Object.entries(damaged)) {
  test(`damaged objects: bytes that are ${name} are named, stay as they are, and hide no other object`, async () => {
    const { simulation, server, send, data } = await startServer(`damaged ${name}`)
    await send('POST', maps, configMap('good'))
    const watch = await simulation.settle(openWatch(server, `${maps}?watch=true&resourceVersion=0`))
    const key = '/registry/configmaps/default/bad'
    const value = Buffer.from(text)
    data.commit({ writes: [{ kind: 'put', key, value }], guards: [] })
    await simulation.run({ untilMs: simulation.nowMs + 500 })

    const list = await send('GET', maps)
    assert.deepEqual([list.status, list.body.reason], [500, 'StorageReadError'])
    assert.match(list.body.message, /^1 of 2 objects of configmaps cannot be decoded: "default\/bad" \(/)
    assert.equal((await send('GET', `${maps}/good`)).status, 200)
    for (const [method, body] of [['GET'], ['PUT', configMap('bad')], ['DELETE']] as const) {
      const answer = await send(method, `${maps}/bad`, body)
      assert.deepEqual([answer.status, answer.body.reason], [500, 'StorageReadError'], method)
    }
    assert.equal(watch.events.at(-1)?.type, 'ERROR')
    assert.equal(watch.events.at(-1)?.object.reason, 'StorageReadError')
    assert.deepEqual(data.read([key]).entries[0]?.value, value)
  })
}
