import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Cluster, startCluster } from '@strata/testing'
import { type Gadget, gadgets } from './gadget.ts'
import { resources } from './resources.ts'

let cluster: Cluster
before(async () => {
  cluster = await startCluster({ resources })
})
afterEach(() => cluster.reset())
after(() => cluster.stop())

const manifest = `
apiVersion: shop.example.dev/v2
kind: Gadget
metadata: {name: lens}
spec: {owner: ann, weight: {grams: 120, packagingGrams: 20}}
`
const pathIn = (version: string): string =>
  `/apis/shop.example.dev/${version}/namespaces/default/gadgets/lens`

async function read(version: string): Promise<Record<string, unknown>> {
  return (await (await cluster.fetch(pathIn(version))).json()) as Record<string, unknown>
}

test('there and back in every version is where you were', () => {
  const hub: Gadget = {
    metadata: { name: 'lens', annotations: { note: 'kept' } },
    spec: { owner: 'ann', weight: { grams: 120, packagingGrams: 20 } },
  }
  for (const { fromHub, toHub } of Object.values(gadgets.versions)) {
    assert.deepEqual(toHub(fromHub(structuredClone(hub))), hub)
  }
})

test('an old client reads and writes back without losing what it does not know', async () => {
  await cluster.apply(manifest)
  const old = (await read('v1')) as { spec: { grams: number } }
  old.spec.grams = 130
  const answer = await cluster.fetch(pathIn('v1'), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(old),
  })
  assert.equal(answer.status, 200)
  assert.deepEqual((await read('v2'))['spec'], { owner: 'ann', weight: { grams: 130, packagingGrams: 20 } })
})

test('the packaging is lighter than the gadget', async () => {
  const heavy = manifest.replace('packagingGrams: 20', 'packagingGrams: 200')
  await assert.rejects(cluster.apply(heavy), /spec\.weight\.packagingGrams: Invalid value: 200: must be less/)
})
