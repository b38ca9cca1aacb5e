import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import type { RehearsalResult } from '@strata/rehearsal'
import { readAll, utf8 } from '@strata/world'
import { createRehearsals } from './answer-rehearsals.ts'

async function ask(method: string, body = '', target = '/rehearsals', { signal } = new AbortController()) {
  const request = {
    ...{ method, target, headers: {}, signal },
    readBody: async () => utf8.encode(body),
  }
  const answer = await createRehearsals()(request)
  return JSON.parse(utf8.decode(await readAll(answer.body)))
}

const crd = (versions: readonly string[]) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'lamps.light.example.dev' },
  spec: {
    ...{ group: 'light.example.dev', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' } },
    versions: versions.map((name, index) => ({
      ...{ name, served: true, storage: index === versions.length - 1 },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    })),
  },
})
const path = {
  interleavings: 1,
  crds: { old: crd(['v1']), new: [crd(['v2'])] },
  steps: [{ release: 'old', objects: 1 }, { upgrade: 'new' }],
}

test('rehearsals of the dashboard: a path with its CRDs is played', async () => {
  const result: RehearsalResult = await ask('POST', JSON.stringify(path))
  assert.deepEqual(
    result.steps.map(({ verdict }) => verdict),
    ['safe', 'refused'],
  )
  assert.ok(result.events.length > 0)
})

test('rehearsals of the dashboard: an example can be played as it is listed', async () => {
  const { rehearsals } = await ask('GET')
  const example = rehearsals.find(({ name }: { name: string }) => name === 'lost-field')
  assert.match(example.title, /pruned/)
  const result: RehearsalResult = await ask('POST', JSON.stringify({ ...example.path, interleavings: 0 }))
  assert.equal(result.passed, true)
})

const refused: ReadonlyArray<[name: string, body: string, message: RegExp]> = [
  ['no YAML', '{', /cannot read it as YAML/],
  ['an unknown field', '{"steps": [], "stepz": 1}', /rehearsal:1: stepz: there is no such field/],
  [
    'kinds of a module',
    '{"resources": "/tmp/kinds.ts", "steps": [{"release": "x"}]}',
    /resources: a page cannot name files/,
  ],
  [
    'CRDs of a folder',
    JSON.stringify({ ...path, crds: { ...path.crds, old: 'crds' } }),
    /crds\.old: a page cannot name files/,
  ],
  ['conversions', JSON.stringify({ ...path, conversions: 'c.ts' }), /conversions: a page cannot name files/],
  [
    'objects of a file',
    JSON.stringify({ ...path, steps: [{ release: 'old', objects: { file: 'o.yaml' } }] }),
    /steps\[0\]\.objects: a page cannot name files/,
  ],
]
for (const [name, body, message] of refused) {
  test(`rehearsals of the dashboard: refused with 400: ${name}`, async () => {
    await assert.rejects(ask('POST', body), (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 400)
      assert.match(error.message, message)
      return true
    })
  })
}

test('rehearsals of the dashboard: where no server runs, nothing is called safe', async () => {
  const gone = [{ crash: 1, expect: 'could not see' }, { migrate: 'all' }, { prune: 'all' }]
  const steps = [{ release: 'old', objects: 1 }, ...gone]
  const result: RehearsalResult = await ask(
    'POST',
    JSON.stringify({ ...path, servers: 1, interleavings: 0, steps }),
  )
  assert.deepEqual(
    result.steps.map(({ verdict }) => verdict),
    ['safe', 'could not see', 'could not see', 'could not see'],
    JSON.stringify(result.steps),
  )
})

test('rehearsals of the dashboard: a long one ends when its page has gone', async () => {
  const gone = new AbortController()
  const again = Array.from({ length: 200 }, (_, index) => ({ upgrade: index % 2 === 0 ? 'same' : 'old' }))
  const crds = { old: [crd(['v1'])], same: [crd(['v1'])] }
  const steps = [{ release: 'old', objects: 1 }, ...again]
  const playing = ask('POST', JSON.stringify({ crds, interleavings: 0, steps }), '/rehearsals', gone)
  // Simulated time has turns between those of this process.
  const leaving = setInterval(() => gone.abort(), 1)
  const answer = await playing
  clearInterval(leaving)
  assert.deepEqual(answer, {})
})
