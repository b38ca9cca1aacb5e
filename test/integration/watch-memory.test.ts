import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, maps, startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

test('watches: what is remembered of an event holds no more memory than its bytes', async () => {
  const { simulation, server, send } = await startServer('watch memory')
  const watch = await simulation.settle(openWatch(server, `${maps}?watch=true&resourceVersion=0`))
  for (const name of ['a', 'b', 'c']) await send('POST', maps, configMap(name))
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  assert.equal(watch.events.filter(({ type }) => type === 'ADDED').length, 3)
  const collection = server.cache.collection('/registry/configmaps/')
  const remembered = collection.since(collection.oldestRevision) ?? []
  const forms = remembered.flatMap((event) => [...event.forms.values()])
  assert.equal(forms.length, 3)
  for (const form of forms) assert.equal(form.buffer.byteLength, form.byteLength)
  watch.cut()
})
