import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looseSettledMs } from '@strata/api'
import {
  type MigrationResult,
  type ProgressReport,
  resumeOfStatus,
  statusOfReport,
} from '@strata/controllers'
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
  await fleet.startSwitched(count)
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

test('migrator next to the data: census, batches under the epoch, census; a second run only counts, once', async () => {
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
  assert.deepEqual(again.writes, [censuses])
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

const answer = (status: number, body: object) => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: utf8.encode(JSON.stringify(body)),
})
const failure = (code: number, message: string) =>
  answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: 'Conflict', message })

/** Has every lamp be left by the one batch, and loses all censuses after the first, for as long as it is asked to. */
function leaving(fleet: Fleet, isCounted: () => boolean, conflicts: (lamp: string) => boolean): Through {
  let counted = 0
  return async (request, send) => {
    const { method, target, body } = request
    if (target.includes('storagecensuses') && ++counted > 1 && !isCounted()) return failure(500, 'no')
    if (isBatch(request)) {
      const { spec } = JSON.parse(utf8.decode(body ?? new Uint8Array()))
      const left = (fleet.stored()[v1] ?? 0) + (fleet.stored()[v2] ?? 0)
      const objects = Array.from({ length: left }, (_, index) => ({
        ...{ namespace: 'default', name: lampName(index), reason: 'Conflict', message: '' },
      }))
      const status = {
        ...{ outcome: 'Done', epoch: spec.epoch, examined: left, migrated: 0, alreadyCurrent: 0 },
        ...{ left, objects },
      }
      const kind = { kind: 'StorageReencode', apiVersion: 'strata.dev/v1alpha1' }
      return answer(201, { ...kind, metadata: {}, spec, status })
    }
    const lamp = /lamp-\d+/.exec(target)?.[0]
    if (method === 'PATCH' && lamp !== undefined && conflicts(lamp)) {
      return failure(409, 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified')
    }
    return send(request)
  }
}

test('migrator next to the data: a conflict about something else over an object that was left is not taken for a newer state', async () => {
  const fleet = await switched('left, and a quota')
  let conflicts = 0
  const isRefused = (lamp: string): boolean => lamp === lampName(3) && conflicts++ < 4
  const migrator = fleet.migrator(
    lamps,
    leaving(fleet, () => true, isRefused),
  )
  const result = await fleet.settle(migrator.start(bulk))
  assert.deepEqual(
    [result.outcome, result.proof, conflicts > 4],
    ['succeeded', 'proven', true],
    result.because,
  )
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator next to the data: such an object that stays so is named, also where the last census fails', async () => {
  const fleet = await switched('left for good')
  const through = leaving(
    fleet,
    () => false,
    (lamp) => lamp === lampName(3),
  )
  const result = await fleet.settle(fleet.migrator(lamps, through).start(bulk))
  assert.deepEqual([result.outcome, result.proof], ['incomplete', 'unknown'], result.because)
  assert.deepEqual(
    result.quarantine.objects.map(({ name }) => name),
    [lampName(3)],
  )
  assert.deepEqual(fleet.stored(), { [v1]: 1, [v2]: count - 1 })
})

/** Answers a batch as if everything had been current, which is what a batch could be wrong about; and no census but the first. */
function claiming(failsFor: number, code: number): Through {
  let counted = 0
  return async (request, send) => {
    if (request.target.includes('storagecensuses') && ++counted > 1 && counted <= 1 + failsFor) {
      return failure(code, 'no')
    }
    if (!isBatch(request)) return send(request)
    const { spec } = JSON.parse(utf8.decode(request.body ?? new Uint8Array()))
    const status = {
      ...{ outcome: 'Done', epoch: spec.epoch, examined: count, migrated: 0, alreadyCurrent: count, left: 0 },
    }
    const kind = { kind: 'StorageReencode', apiVersion: 'strata.dev/v1alpha1' }
    return answer(201, { ...kind, metadata: {}, spec, status })
  }
}

const uncounted: readonly (readonly [name: string, failsFor: number, code: number])[] = [
  ['fails for good', Number.POSITIVE_INFINITY, 500],
  ['is refused', Number.POSITIVE_INFINITY, 403],
]
for (const [name, failsFor, code] of uncounted) {
  test(`migrator next to the data: the last census ${name}: each object is looked at through the API, and that is the proof`, async () => {
    const fleet = await switched(`uncounted, ${name}`)
    const migrator = fleet.migrator(lamps, claiming(failsFor, code))
    const result = await fleet.settle(migrator.start(bulk))
    assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'], result.because)
    assert.equal(result.progress.migrated, count)
    assert.deepEqual(fleet.stored(), { [v2]: count })
  })
}

// Otherwise: batches say that all is done; the run is killed before the census, and the next one, which may not ask the servers
// (a webhook was configured, or --through-api given), has nothing left to do and calls that proven.
test('migrator next to the data: killed before the last census, and gone on with through the API: each object is looked at first', async () => {
  const fleet = await switched('killed before the census')
  const gone = new AbortController()
  const claim = claiming(0, 500)
  let counted = 0
  const through: Through = async (request, send) => {
    if (request.target.includes('storagecensuses') && ++counted === 2) gone.abort(new Error('killed'))
    return claim(request, send)
  }
  const killed = await fleet.settle(fleet.migrator(lamps, through).start({ ...bulk, signal: gone.signal }))
  assert.deepEqual(fleet.stored(), { [v1]: count })
  const saved = resumeOfStatus(killed.resume.target.resource, statusOfReport(killed))
  const result = await fleet.settle(
    fleet.migrator(lamps).start({ ...bulk, nextToData: false, resume: saved }),
  )
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'], result.because)
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator next to the data: the last census fails for a moment: it is asked for again, and says what a batch has missed', async () => {
  const fleet = await switched('counted late')
  const migrator = fleet.migrator(lamps, claiming(3, 500))
  const result = await fleet.settle(migrator.start(bulk))
  assert.deepEqual([result.outcome, result.proof], ['incomplete', 'unknown'], result.because)
  assert.match(result.because, /^200 objects are not stored in light.example.dev\/v2/)
  assert.equal(migrator.writes.filter((each) => each === censuses).length, 5)
})

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

for (const nextToData of [true, false]) {
  const where = nextToData ? 'next to the data' : 'through the API'
  test(`migrator, ${where}: rule 14: one loose server beside a strict one: 70 seconds, twice, and observed`, async () => {
    const fleet = await switched(`strict and loose ${where}`, { guarantees: { b: 'loose' } })
    const startMs = fleet.simulation.nowMs
    const result = await fleet.settle(fleet.migrator(lamps).start({ ...bulk, nextToData }))
    assert.deepEqual([result.outcome, result.proof], ['succeeded', 'observed clean'], result.because)
    assert.ok(fleet.simulation.nowMs - startMs >= looseSettledMs)
    assert.deepEqual(fleet.stored(), { [v2]: count })
    // In the epoch in which there is no loose server any more, it is proven.
    await fleet.settle(fleet.stopServer('b'))
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 1_000 })
    const again = await fleet.settle(fleet.migrator(lamps).start({ ...bulk, nextToData }))
    assert.deepEqual([again.outcome, again.proof], ['succeeded', 'proven'], again.because)
    assert.ok((again.resume.target.epoch ?? 0) > (result.resume.target.epoch ?? 0))
  })
}

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
