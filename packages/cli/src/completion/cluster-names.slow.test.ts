import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { type Answers, discovery, FakeCluster, ok } from '../commands/fake-cluster-for-test.ts'

const served = discovery([
  { group: '', version: 'v1', resources: [{ name: 'secrets', kind: 'Secret' }] },
  { group: 'light.example.dev', version: 'v1', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])
const crds = { metadata: {}, items: [{ metadata: { name: 'lamps.light.example.dev' } }] }

test('completion: names of resources and CRDs, remembered for half a minute', async (t) => {
  let asked = 0
  const answers: Answers = (method, path, body) => {
    asked++
    return path.endsWith('/customresourcedefinitions') ? ok(crds) : served(method, path, body)
  }
  const cluster = await FakeCluster.start(t, answers)
  let shiftMs = 0
  const clock = { ...nodeClock, wallMs: () => nodeClock.wallMs() + shiftMs }
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { said } = await cluster.runWords(words, { world: { clock } })
    return said === '' ? [] : said.split('\n')
  }
  assert.deepEqual(await complete('verify', ''), ['lamps.light.example.dev', 'secrets'])
  const before = asked
  assert.deepEqual(await complete('migrate', '-o', 'json', 'se'), ['secrets'])
  assert.equal(asked, before, 'remembered')
  assert.deepEqual(await complete('prune', 'la'), ['lamps.light.example.dev'])
  assert.deepEqual(await complete('can-drop', 'secrets', ''), [])
  shiftMs = 31_000
  const later = asked
  await complete('verify', '')
  assert.ok(asked > later, 'asked again')
})

test('completion: a cluster that does not answer completes nothing, and is not waited for twice', async (t) => {
  let asked = 0
  const cluster = await FakeCluster.start(t, () => {
    asked++
    return 'hang'
  })
  for (let times = 0; times < 2; times++) {
    const { code, said, warned } = await cluster.runWords(['verify', ''])
    assert.deepEqual([code, said, warned], [0, '', ''])
  }
  assert.ok(asked <= 2, `${asked} requests`)
})
