import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseLossless } from '@strata/api'
import { createNodeRandom } from '@strata/world/node'
import { readCrds } from '../documents/index.ts'
import { crdForTest } from '../plan/crd-for-test.ts'
import { KeptDefinitions } from './kept-definition.ts'

const name = 'lamps.light.example.dev'
const original = crdForTest({ versions: 'v1* v2' })
const bridge = crdForTest({ versions: 'v1 v2*' })

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'strata-kept-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'crds')
}

test('kept CRD: the original of an upgrade that is continued, in files for this user alone', (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  assert.equal(kept.read(name), undefined)
  assert.deepEqual(kept.originalOf(original), original)
  kept.keep(name, { original, sent: [original.spec, bridge.spec], isLast: false })
  assert.equal(statSync(kept.pathOf(name)).mode & 0o777, 0o600)
  assert.deepEqual(kept.originalOf(bridge), original)
})

test('kept CRD: killed before the last write arrived, the upgrade is continued; after it, the next one begins', (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  const newest = crdForTest({ versions: 'v2*' })
  kept.keep(name, { original, sent: [bridge.spec, newest.spec], isLast: true })
  assert.deepEqual(kept.originalOf(bridge), original)
  assert.deepEqual(kept.originalOf(newest), newest)
})

test('kept CRD: what a webhook keeps is to be compared after a last write that arrived, until it is', (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  assert.equal(kept.isUnchecked(bridge), false)
  const written = { original, sent: [original.spec, bridge.spec], isLast: true, isUnchecked: true }
  kept.keep(name, written)
  assert.deepEqual([kept.isUnchecked(bridge), kept.isUnchecked(original)], [true, false])
  const anew = { ...bridge, metadata: { ...bridge.metadata, uid: 'another' } }
  assert.equal(kept.isUnchecked(anew), false)
  kept.noteChecked(name)
  assert.equal(kept.isUnchecked(bridge), false)
  const { isUnchecked: _, ...rest } = written
  assert.deepEqual(kept.read(name), rest)
})

test('kept CRD: the file of the original is a CRD that an upgrade reads', async (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  kept.keep(name, { original, sent: [bridge.spec], isLast: false })
  const [document] = await readCrds([kept.pathOf(name)], { recursive: false })
  assert.deepEqual([document?.name, document?.crd.spec.versions], [name, original.spec.versions])
})

test('kept CRD: with every digit of a long number', (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  const long: unknown = parseLossless('9007199254740993')
  const spec = { ...original.spec, long }
  kept.keep(name, { original: { ...original, spec }, sent: [spec], isLast: false })
  assert.match(readFileSync(kept.pathOf(name), 'utf8'), /"long":9007199254740993\b/)
  const live = { ...bridge, spec }
  assert.match(JSON.stringify(kept.originalOf(live)), /"long":9007199254740993\b/)
})

test('kept CRD: one that others have changed or made again is an original itself', (t) => {
  const kept = new KeptDefinitions(directoryFor(t), createNodeRandom())
  kept.keep(name, { original, sent: [original.spec, bridge.spec], isLast: false })
  const changed = crdForTest({ versions: 'v1 v2 v3*' })
  assert.deepEqual(kept.originalOf(changed), changed)
  const other = { ...bridge, metadata: { ...bridge.metadata, uid: 'w' } }
  assert.deepEqual(kept.originalOf(other), other)
})
