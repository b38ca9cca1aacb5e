import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Cluster, startCluster } from '@strata/testing'

// One cluster for all tests of the file; each test finds it as if it were new.
let cluster: Cluster
before(async () => {
  cluster = await startCluster({ crds: new URL('../lamps/crd-v1.yaml', import.meta.url).pathname })
})
afterEach(() => cluster.reset())
after(() => cluster.stop())

const desk = `
apiVersion: light.example.dev/v1
kind: Lamp
metadata: {name: desk}
spec: {colour: red, brightness: 80}
`
const path = '/apis/light.example.dev/v1/namespaces/default/lamps/desk'

test('a lamp is stored', async () => {
  await cluster.apply(desk)
  const lamp = (await (await cluster.fetch(path)).json()) as { spec: unknown }
  assert.deepEqual(lamp.spec, { colour: 'red', brightness: 80 })
})

test('a lamp cannot be brighter than 100', async () => {
  await assert.rejects(
    cluster.apply(desk.replace('80', '101')),
    /spec\.brightness.*less than or equal to 100/,
  )
  assert.equal((await cluster.fetch(path)).status, 404)
})
