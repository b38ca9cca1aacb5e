import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readCrds } from '../documents/index.ts'
import { crdForTest } from '../plan/crd-for-test.ts'
import { KeptDefinitions } from './kept-definition.ts'
import { SavedObjects } from './saved-objects.ts'

const name = 'lamps.light.example.dev'
const original = crdForTest({ versions: 'v1* v2' })
const bridge = crdForTest({ versions: 'v1 v2*' })

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'strata-kept-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'crds')
}

test('kept CRD: the original of an upgrade that is continued, in files for this user alone', (t) => {
  const kept = new KeptDefinitions(directoryFor(t))
  assert.equal(kept.read(name), undefined)
  assert.deepEqual(kept.originalOf(original), original)
  kept.keep(name, { original, sent: [original.spec, bridge.spec], isLast: false })
  assert.equal(statSync(kept.pathOf(name)).mode & 0o777, 0o600)
  assert.deepEqual(kept.originalOf(bridge), original)
})

test('kept CRD: killed before the last write arrived, the upgrade is continued; after it, the next one begins', (t) => {
  const kept = new KeptDefinitions(directoryFor(t))
  const newest = crdForTest({ versions: 'v2*' })
  kept.keep(name, { original, sent: [bridge.spec, newest.spec], isLast: true })
  assert.deepEqual(kept.originalOf(bridge), original)
  assert.deepEqual(kept.originalOf(newest), newest)
})

test('kept CRD: the file of the original is a CRD that an upgrade reads', async (t) => {
  const kept = new KeptDefinitions(directoryFor(t))
  kept.keep(name, { original, sent: [bridge.spec], isLast: false })
  const [document] = await readCrds([kept.pathOf(name)], { recursive: false })
  assert.deepEqual([document?.name, document?.crd.spec.versions], [name, original.spec.versions])
})

test('kept CRD: one that others have changed or made again is an original itself', (t) => {
  const kept = new KeptDefinitions(directoryFor(t))
  kept.keep(name, { original, sent: [original.spec, bridge.spec], isLast: false })
  const changed = crdForTest({ versions: 'v1 v2 v3*' })
  assert.deepEqual(kept.originalOf(changed), changed)
  const other = { ...bridge, metadata: { ...bridge.metadata, uid: 'w' } }
  assert.deepEqual(kept.originalOf(other), other)
})

test('saved objects: one per line, for this user alone, never over an older file', (t) => {
  const directory = directoryFor(t)
  const path = join(directory, 'objects.json')
  const saved = new SavedObjects(path)
  assert.equal(saved.path, undefined)
  saved.save({ metadata: { name: 'a' } })
  saved.save({ metadata: { name: 'b' } })
  saved.close()
  assert.deepEqual(readdirSync(directory), ['objects.json'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(readFileSync(path, 'utf8'), '{"metadata":{"name":"a"}}\n{"metadata":{"name":"b"}}\n')
  assert.throws(() => new SavedObjects(path).save({ metadata: { name: 'c' } }), { code: 'EEXIST' })
})
