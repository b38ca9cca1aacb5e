import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedIn, suspects } from './name-undecodable.ts'

const part = { form: 'json', count: 1, bytes: 1 } as const

test('repair: the store names what is in a version that no server serves, or cannot be read', () => {
  const parts = [
    { ...part, apiVersion: 'ex.dev/v2', objects: ['default/new'] },
    { ...part, apiVersion: 'ex.dev/v1', objects: ['default/old', 'shop/older'] },
    { ...part, form: 'unreadable', objects: ['shop/broken'] } as const,
  ]
  assert.deepEqual(suspects({ parts }, new Set(['ex.dev/v2']), true), [
    { namespace: 'default', name: 'old' },
    { namespace: 'shop', name: 'older' },
    { namespace: 'shop', name: 'broken' },
  ])
  assert.deepEqual(suspects(undefined, new Set(), true), [])
})

test('repair: objects are found by their prefix, where their group is only a guess', () => {
  const jobs = {
    ...{ group: '', resource: 'jobs', prefix: 'jobs', identifiedBy: 'key, group unknown' as const },
    ...{ count: 1, bytes: 1, parts: [{ ...part, form: 'unreadable', objects: ['shop/broken'] } as const] },
  }
  const sight = { resources: [jobs], definitions: [] }
  assert.equal(storedIn(sight, { group: 'batch', resource: 'jobs' }), jobs)
  assert.equal(storedIn(sight, { group: 'batch', resource: 'cronjobs' }), undefined)
})
