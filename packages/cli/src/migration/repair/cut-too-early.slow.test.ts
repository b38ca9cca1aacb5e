import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { type Answers, discovery, FakeCluster, ok, refusal } from '../../commands/fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const served = discovery([
  {
    ...{ group: 'apiextensions.k8s.io', version: 'v1' },
    resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }],
  },
  { group: 'light.example.dev', version: 'v2', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])
const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name, uid: 'u', generation: 3, resourceVersion: '7' },
  spec: {
    ...{ group: 'light.example.dev', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' } },
    versions: [{ name: 'v2', served: true, storage: true }],
  },
  status: { storedVersions: ['v2'], conditions: [{ type: 'Established', status: 'True' }] },
}
const broken = 'request to convert CR from an invalid group/version: light.example.dev/v1'

/** storedVersions was cut to v2, and v1 dropped, while an object is still stored in v1. */
const answers: Answers = (method, asked, body) => {
  if (asked === '/version') return ok({ gitVersion: 'v1.36.4', major: '1', minor: '36' })
  if (asked === path) return ok({ kind: 'CustomResourceDefinitionList', metadata: {}, items: [definition] })
  if (asked === `${path}/${name}`) return ok(definition)
  if (asked === '/apis/light.example.dev/v2/lamps') return refusal(500, broken)
  return served(method, asked, body)
}

const back = /add v1 back to the CRD lamps\.light\.example\.dev with "served: false"/
const rows: readonly [args: readonly string[], code: number, said: readonly RegExp[]][] = [
  [['check', name, '--to', '1.37'], 1, [/UNSAFE/, /invalid group\/version: light\.example\.dev\/v1/, back]],
  [['check', name, '--to', 'other'], 1, [/UNSAFE/, back]],
  [['repair', name], 5, [/cannot be listed, because some cannot be decoded/, back]],
  [['prune', name], 0, [/status\.storedVersions lists only v2, so there is nothing to prune/]],
  [['prune', name, '-o', 'json'], 0, [/"exit": "nothingToDo"/]],
]
test('storedVersions that was cut too early is safe for no command, and each names the way back', async (t) => {
  const cluster = await FakeCluster.start(t, answers)
  for (const [args, code, texts] of rows) {
    const ran = await cluster.run(args, { world: { clock: nodeClock } })
    for (const text of texts) assert.match(ran.said, text, args.join(' '))
    assert.equal(ran.code, code, `${args.join(' ')}\n${ran.said}`)
  }
})
