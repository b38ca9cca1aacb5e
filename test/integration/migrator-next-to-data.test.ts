import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationResult, ProgressReport } from '@strata/controllers'
import { createMemoryStore } from '@strata/server/store'
import { TransportError, utf8 } from '@strata/world'
import {
  type MigrationFleet as Fleet,
  lampName,
  lamps,
  lampsPath,
  MigrationFleet,
  mergePatch,
  type Through,
} from '../support/migration-fleet.ts'

const never = new AbortController().signal
const count = 200
const [v1, v2] = [`${lamps.group}/v1`, `${lamps.group}/v2`]
const questions = '/apis/strata.dev/v1alpha1'
const censuses = `POST ${questions}/storagecensuses`
const reencodes = `POST ${questions}/storagereencodes`
const bulk = { nextToData: true, limits: { batchSize: count / 4, pageSize: count / 4 } } as const

/** Lamps stored in v1, and a fleet that has agreed on v2. */
async function switched(
  seed: string,
  more: ConstructorParameters<typeof MigrationFleet>[1] = {},
): Promise<MigrationFleet> {
  const fleet = new MigrationFleet(seed, more)
  await fleet.startServer('a')
  await fleet.startServer('b')
  await fleet.fill(count)
  await fleet.switchTo('v2')
  return fleet
}

const summary = ({ outcome, proof, progress }: MigrationResult) => {
  const { migrated, alreadyCurrent, gone, quarantined, total, percent } = progress
  return { outcome, proof, migrated, alreadyCurrent, gone, quarantined, total, percent }
}
const proven = {
  ...{ outcome: 'succeeded', proof: 'proven', migrated: count, alreadyCurrent: 0, gone: 0, quarantined: 0 },
  ...{ total: count, percent: 100 },
}

const isBatch = ({ target }: { readonly target: string }): boolean => target.includes('storagereencodes')

/** Does something once, right before this batch. */
function beforeBatch(batch: number, act: () => Promise<unknown>): Through {
  let sent = 0
  return async (request, send) => {
    if (isBatch(request) && ++sent === batch) await act()
    return send(request)
  }
}

test('migrator next to the data: census, batches under the epoch, census; a second run only counts', async () => {
  const fleet = await switched('all of them')
  const migrator = fleet.migrator(lamps)
  const result = await fleet.settle(migrator.start(bulk))
  assert.deepEqual(summary(result), proven)
  assert.match(result.because, /^every stored object was read, and is in light.example.dev\/v2/)
  assert.deepEqual(migrator.writes, [censuses, ...Array.from({ length: 4 }, () => reencodes), censuses])
  assert.deepEqual(fleet.stored(), { [v2]: count })
  const again = fleet.migrator(lamps)
  const second = await fleet.settle(again.start(bulk))
  assert.deepEqual(summary(second), { ...proven, migrated: 0, alreadyCurrent: count })
  assert.deepEqual(again.writes, [censuses, censuses])
})

test('migrator next to the data: what is left there is tried through the API, and gets its reason', async () => {
  const fleet = await switched('left')
  const store = createMemoryStore(fleet.data)
  const key = `/registry/${lamps.group}/lamps/default/old`
  const value = Buffer.from(`{"kind":"Lamp","apiVersion":"${lamps.group}/v0","metadata":{"name":"old"}}`)
  await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
  const result = await fleet.settle(fleet.migrator(lamps).start(bulk))
  assert.deepEqual([result.outcome, result.proof, result.progress.migrated], ['incomplete', 'unknown', count])
  assert.deepEqual(
    result.quarantine.objects.map(({ namespace, name, reason }) => [namespace, name, reason]),
    [['default', 'old', 'Undecodable']],
  )
})

const moves: readonly (readonly [name: string, act: (fleet: Fleet) => Promise<unknown>])[] = [
  ['is switched back', (fleet) => fleet.change(fleet.storedIn('v1'))],
  [
    'is deleted',
    (fleet) =>
      fleet.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.${lamps.group}`),
  ],
]
for (const [name, act] of moves) {
  test(`migrator next to the data: the definition ${name} in the middle: aborted, no success`, async () => {
    const fleet = await switched(name)
    const through = beforeBatch(3, () => act(fleet))
    const result = await fleet.settle(fleet.migrator(lamps, through).start(bulk))
    assert.deepEqual([result.outcome, result.proof], ['aborted', 'unknown'], result.because)
    assert.match(result.because, /^the target moved: /)
  })
}

for (const status of [403, 404]) {
  test(`migrator next to the data: ${status} in the middle: the rest goes through the API`, async () => {
    const fleet = await switched(`refused ${status}`)
    let batches = 0
    const through: Through = (request, send) => {
      if (!isBatch(request) || ++batches < 3) return send(request)
      const said = { kind: 'Status', apiVersion: 'v1', code: status, message: 'no', reason: 'Forbidden' }
      const headers = { 'content-type': 'application/json' }
      return Promise.resolve({ status, headers, body: utf8.encode(JSON.stringify(said)) })
    }
    const migrator = fleet.migrator(lamps, through)
    const result = await fleet.settle(migrator.start(bulk))
    assert.deepEqual(summary(result), proven)
    assert.equal(migrator.writes.filter((each) => each.startsWith('PATCH')).length, count / 2)
  })
}

test('migrator next to the data: 429, cuts before and after the server acted, and a server that goes: all are rewritten', async () => {
  const fleet = await switched('storm')
  let asked = 0
  const through: Through = async (request, send) => {
    asked++
    if (asked === 7) await fleet.stopServer('a')
    if (asked % 4 === 0) {
      return { status: 429, headers: { 'retry-after': '1' }, body: utf8.encode('too many requests') }
    }
    if (asked % 5 === 0) throw new TransportError('connection reset', 'no')
    const answer = await send(request)
    if (asked % 7 === 0) throw new TransportError('connection reset', 'unknown')
    return answer
  }
  const result = await fleet.settle(fleet.migrator(lamps, through).start(bulk))
  assert.deepEqual([result.outcome, result.proof, result.quarantine.total], ['succeeded', 'proven', 0])
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator next to the data: killed in the middle, another one goes on where it was, counts and all', async () => {
  const fleet = await switched('killed')
  let last: ProgressReport | undefined
  const gone = new AbortController()
  const through = beforeBatch(3, async () => gone.abort(new Error('killed')))
  await fleet.settle(
    fleet.migrator(lamps, through).start({
      ...bulk,
      signal: gone.signal,
      onProgress: (report) => {
        last ??= report
      },
    }),
  )
  assert.ok(last)
  assert.deepEqual([last.progress.migrated, last.progress.total], [count / 2, count])
  const migrator = fleet.migrator(lamps)
  const result = await fleet.settle(migrator.start({ ...bulk, resume: last.resume }))
  assert.deepEqual(summary(result), proven)
  assert.deepEqual(migrator.writes, [censuses, reencodes, reencodes, censuses])
})

test('migrator next to the data: what began through the API may be finished here', async () => {
  const fleet = await switched('half and half')
  let last: ProgressReport | undefined
  const gone = new AbortController()
  let patches = 0
  const through: Through = (request, send) => {
    if (request.method === 'PATCH' && ++patches > count / 2) gone.abort(new Error('killed'))
    return send(request)
  }
  await fleet.settle(
    fleet.migrator(lamps, through).start({
      ...{ ...bulk, nextToData: false, signal: gone.signal },
      onProgress: (report) => {
        last = report
      },
    }),
  )
  assert.ok(last && last.progress.migrated > 0)
  const migrator = fleet.migrator(lamps)
  const result = await fleet.settle(migrator.start({ ...bulk, resume: last.resume }))
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'])
  assert.ok(migrator.writes.every((each) => each.startsWith('POST')))
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator next to the data: where servers are loose, twice, and observed', async () => {
  const fleet = await switched('loose', { guarantee: 'loose' })
  const result = await fleet.settle(fleet.migrator(lamps).start(bulk))
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'observed clean'], result.because)
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator next to the data: two at once, while others write: each object is rewritten once', async () => {
  const fleet = await switched('two at once')
  const through: Through = (request, send) => {
    if (isBatch(request)) {
      void fleet.send('PATCH', lampsPath(lampName(150)), { spec: { watts: 9 } }, mergePatch)
      void fleet.send('DELETE', lampsPath(lampName(151)))
      const metadata = { generateName: 'new-' }
      void fleet.send('POST', lampsPath(), { apiVersion: v1, kind: 'Lamp', metadata })
    }
    return send(request)
  }
  const results = await fleet.settle(
    Promise.all([fleet.migrator(lamps, through).start(bulk), fleet.migrator(lamps).start(bulk)]),
  )
  for (const { outcome, proof } of results) assert.deepEqual([outcome, proof], ['succeeded', 'proven'])
  const rewritten = results.reduce((sum, { progress }) => sum + progress.migrated, 0)
  assert.ok(rewritten <= count && rewritten >= count - 2, String(rewritten))
  assert.deepEqual(Object.keys(fleet.stored()), [v2])
})
