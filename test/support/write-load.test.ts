import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TransportError } from '@strata/world'
import { createNodeRandom } from '@strata/world/node'
import { WriteLoad } from './write-load.ts'

test('write load: a test that fails takes its load with it', async () => {
  let asked = 0
  const server = () => {
    asked++
    return Promise.reject(new TransportError('no server listens', 'no'))
  }
  const failing = async (): Promise<void> => {
    await using load = new WriteLoad({
      ...{ servers: () => [server], apiVersions: () => ['v1'], random: createNodeRandom(), pauseMs: 0 },
    })
    assert.equal(load.acknowledged, 1)
  }
  await assert.rejects(failing(), { name: 'AssertionError' })
  const before = asked
  assert.ok(before > 0)
  for (let each = 0; each < 100; each++) await turn()
  assert.equal(asked, before)
})

test('write load: every test of a live fleet declares its loads so', () => {
  const folder = join(import.meta.dirname, '../e2e')
  const careless = readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) =>
      /^\s*const \w+ = (?:new WriteLoad|startLoad)\(/m.test(readFileSync(join(folder, file), 'utf8')),
    )
  assert.deepEqual(careless, [])
})
