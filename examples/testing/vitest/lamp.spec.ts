import { type Cluster, startCluster } from '@strata/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

// One cluster for all tests of the file; each test finds it as if it were new.
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ crds: new URL('../../lamps/crd-v1.yaml', import.meta.url).pathname })
})
afterEach(() => cluster.reset())
afterAll(() => cluster.stop())

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
  expect(lamp.spec).toEqual({ colour: 'red', brightness: 80 })
})

test('a lamp cannot be brighter than 100', async () => {
  await expect(cluster.apply(desk.replace('80', '101'))).rejects.toThrow(/less than or equal to 100/)
  expect((await cluster.fetch(path)).status).toBe(404)
})
