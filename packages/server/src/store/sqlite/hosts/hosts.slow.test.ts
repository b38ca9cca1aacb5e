import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { until } from '../../../../../../test/support/until.ts'
import { put } from '../../contract/harness.ts'
import { StoreUnavailable } from '../../errors.ts'
import { openAt, temporaryPath, withStore } from '../open-for-test.ts'

const { signal } = new AbortController()
const beatMs = 400

test('sqlite hosts: a store that another host has open is refused, and can be opened when that has ended', async (t) => {
  const path = temporaryPath(t)
  await withStore(path, { host: 'a', beatMs }, async (store) => {
    await assert.rejects(openAt(path, { host: 'b', beatMs }), (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /store\.db is in use on another host \(.+\).* use etcd/)
      return true
    })
    // Processes of one host share it.
    await withStore(
      path,
      { host: 'a', beatMs },
      async (second) => void (await put(second, '/b', 'x', signal)),
    )
    await put(store, '/a', 'x', signal)
  })
  assert.deepEqual(readdirSync(`${path}.hosts`), [], 'who ends takes its entry back')
  await withStore(path, { host: 'b', beatMs }, async () => {})
})

test('sqlite hosts: a host that was cut off without a word is waited for, and then passed over', async (t) => {
  const path = temporaryPath(t)
  const entry = JSON.stringify({ host: 'a', hostname: 'gone', beat: 5 })
  await withStore(path, { host: 'b', beatMs }, async () => {})
  writeFileSync(join(`${path}.hosts`, 'gone'), entry)
  await withStore(path, { host: 'b', beatMs }, (store) => put(store, '/b', 'x', signal))
  assert.equal(readFileSync(join(`${path}.hosts`, 'gone'), 'utf8'), entry)
})

test('sqlite hosts: one that comes later all the same is reported', async (t) => {
  const path = temporaryPath(t)
  const lines: string[] = []
  const log = createLog((level, message) => lines.push(`${level} ${message}`))
  await withStore(path, { host: 'a', beatMs, log }, async () => {
    let beat = 0
    await until('it is reported', () => {
      writeFileSync(
        join(`${path}.hosts`, 'later'),
        JSON.stringify({ host: 'b', hostname: 'later', beat: ++beat }),
      )
      return lines.some((line) => /^error .* is in use on another host \(later\)/.test(line))
    })
  })
})
