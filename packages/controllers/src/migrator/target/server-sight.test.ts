import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CustomResourceDefinition, storageVersionHash } from '@strata/api'
import { countShowing, type ServerSight, whyBehind } from './server-sight.ts'

const definition = {
  metadata: { name: 'things.example.dev' },
  spec: {
    group: 'example.dev',
    names: { plural: 'things', kind: 'Thing' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2' })),
  },
} as unknown as CustomResourceDefinition
const shows = (name: string, version: string): ServerSight => ({
  ...{ name, sees: 'hash', hash: storageVersionHash(`example.dev/${version}`, 'Thing') },
})

const rows: ReadonlyArray<
  [name: string, servers: readonly ServerSight[], want: string | undefined, showing: number]
> = [
  ['no server was asked', [], undefined, 0],
  ['all show it', [shows('a', 'v2'), shows('b', 'v2')], undefined, 2],
  [
    'one is behind',
    [shows('a', 'v2'), shows('b', 'v1')],
    'the API server b still stores v1: it does not know yet that the CRD stores v2',
    2,
  ],
  [
    'one shows a version that the CRD does not have any more',
    [{ name: 'a', sees: 'hash', hash: 'x' }],
    'the API server a still stores what has the hash x: it does not know yet that the CRD stores v2',
    1,
  ],
  ['one does not serve it yet', [{ name: 'a', sees: 'absent' }], 'the API server a does not serve it yet', 0],
  ['one shows no hash', [{ name: 'a', sees: 'silent' }, shows('b', 'v2')], undefined, 1],
]
for (const [name, servers, want, showing] of rows) {
  test(`API servers and a CRD: ${name}`, () => {
    assert.equal(whyBehind(definition, servers), want)
    assert.equal(countShowing(servers), showing)
  })
}
