import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationTarget } from '@strata/controllers'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { createMemoryRecords } from './memory-records.ts'

const { signal } = new AbortController()
const resource = { group: 'light.example.dev', resource: 'lamps' }
const target: MigrationTarget = { resource, how: 'definition', fenced: false }

test('migrations in memory: evidence for this command, and nothing for the next', async () => {
  const world = createNodeWorld({ log: silentLog })
  const records = createMemoryRecords(resource, world, 'no uid')
  assert.equal(await records.readOpen(signal), undefined)
  const held = await records.claim(undefined, target, signal)
  assert.equal(held?.unkept, 'no uid')
  assert.equal(await held?.save({ migrated: 5 }, signal), 'saved')
  assert.deepEqual((await records.readOpen(signal))?.progress, { migrated: 5 })
  const end = { outcome: 'succeeded', proof: 'observed clean', because: 'all is well' } as const
  assert.equal(await held?.finish(end, { target: { how: 'definition' } }, signal), 'saved')
  assert.deepEqual(
    (await records.readPast(signal)).map(({ proof }) => proof),
    ['observed clean'],
  )
  assert.deepEqual(await createMemoryRecords(resource, world, 'no uid').readPast(signal), [])
})
