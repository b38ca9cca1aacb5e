import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type StorageCensusStatus, type StorageReencodeStatus, timeout } from '@strata/api'
import { TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { Halt } from '../progress/halt.ts'
import { BulkSource, type BulkSourceOptions } from './bulk-source.ts'

const never = new AbortController().signal
const resource = { group: 'g.dev', resource: 'things' }
const done: StorageReencodeStatus = {
  ...{ outcome: 'Done', epoch: 3, examined: 5, migrated: 5, alreadyCurrent: 0, left: 0 },
} as StorageReencodeStatus

function source(
  simulation: Simulation,
  census: BulkSourceOptions['data']['census'],
  batch: StorageReencodeStatus | ((batch: number) => StorageReencodeStatus) = done,
) {
  let batches = 0
  const asked: string[] = []
  const bulk = new BulkSource({
    world: simulation.process('migrator'),
    data: {
      census: (each, signal) => {
        asked.push('census')
        return census(each, signal)
      },
      reencode: async () => {
        asked.push('reencode')
        return typeof batch === 'function' ? batch(++batches) : batch
      },
    },
    target: { resource, epoch: 3, recordUID: 'r', encodingVersion: 'g.dev/v2' },
    ...{ batchSize: 100, requestTimeoutMs: 60_000, censusTimeoutMs: 600_000, patienceMs: 600_000 },
    settledBefore: 0,
    through: () => assert.fail('nothing was refused'),
    halt: new Halt(never, () => 'run'),
    onFailure: () => {},
  })
  return { bulk, asked }
}

const forEver: BulkSourceOptions['data']['census'] = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
const slow: readonly [name: string, census: BulkSourceOptions['data']['census']][] = [
  ['is not answered', forEver],
  ['is given up by the server', () => Promise.reject(timeout('too long'))],
  ['is given up by a proxy', () => Promise.reject(new ApiError(504, 'Timeout', 'gateway'))],
]
for (const [name, census] of slow) {
  test(`next to the data: a census that ${name} is done without, once`, async () => {
    const simulation = new Simulation('bulk')
    const { bulk, asked } = source(simulation, census)
    const page = await simulation.settle(bulk.next(never))
    assert.deepEqual([page.settled?.migrated, page.next, page.total], [5, undefined, undefined])
    assert.deepEqual(asked, ['census', 'reencode'])
  })
}

test('next to the data: a census may take longer than a batch', async () => {
  const simulation = new Simulation('bulk')
  const { clock } = simulation.process('server')
  const { bulk, asked } = source(simulation, async (_, signal) => {
    await new Promise<void>((resolve) => clock.after(300_000, resolve))
    signal.throwIfAborted()
    return { resourceVersion: '9', total: 5, encodings: [], unreadable: 0, epoch: 3, stale: 0, proven: true }
  })
  const page = await simulation.settle(bulk.next(never))
  assert.deepEqual([page.settled?.alreadyCurrent, page.total, asked], [5, 5, ['census']])
})

const clean: StorageCensusStatus = {
  ...{ resourceVersion: '9', total: 5, encodings: [], unreadable: 0, epoch: 3, stale: 0, proven: true },
}
const records: readonly [name: string, recordUID: string | undefined, asked: readonly string[]][] = [
  ['of the same record', 'r', ['census']],
  ['of a server that does not name the record', undefined, ['census']],
  ['of the same epoch of a record that was made anew', 'other', ['census', 'reencode']],
]
for (const [name, recordUID, want] of records) {
  test(`next to the data: a census ${name}: ${want.at(-1)} is the last that is asked`, async () => {
    const simulation = new Simulation('bulk')
    const census = { ...clean, ...(recordUID === undefined ? {} : { recordUID }) }
    const { bulk, asked } = source(simulation, async () => census)
    await simulation.settle(bulk.next(never))
    assert.deepEqual(asked, want)
  })
}

test('next to the data: a batch under another record of the same epoch ends the migration', async () => {
  const simulation = new Simulation('bulk')
  const { bulk } = source(simulation, async () => ({ ...clean, stale: 5 }), { ...done, recordUID: 'other' })
  await assert.rejects(
    simulation.settle(bulk.next(never)),
    /the target moved: epoch 3 became epoch 3 of another agreement record/,
  )
})

const stale: BulkSourceOptions['data']['census'] = async () => ({ ...clean, stale: 5 })
const current = (examined: number, more: Partial<StorageReencodeStatus> = {}): StorageReencodeStatus => ({
  ...{ ...done, examined, migrated: 0, alreadyCurrent: examined },
  ...more,
})

test('next to the data: a batch whose answer was lost may have rewritten what is found current then, and nothing after it', async () => {
  const simulation = new Simulation('bulk')
  const { bulk } = source(simulation, stale, (batch) => {
    if (batch === 1) throw new TransportError('connection reset', 'unknown')
    return batch === 2 ? current(60, { outcome: 'More', continueToken: 'next' }) : current(60)
  })
  const first = await simulation.settle(bulk.next(never))
  const second = await simulation.settle(bulk.next(never))
  // A hundred were asked for: all of the first page, and forty of the second.
  assert.deepEqual([first.settled?.perhapsRewritten, first.settled?.alreadyCurrent], [60, 0])
  assert.deepEqual([second.settled?.perhapsRewritten, second.settled?.alreadyCurrent], [40, 20])
})

test('next to the data: a batch that reached no server has rewritten nothing', async () => {
  const simulation = new Simulation('bulk')
  const { bulk } = source(simulation, stale, (batch) => {
    if (batch === 1) throw new TransportError('connection refused', 'no')
    return current(60)
  })
  const { settled } = await simulation.settle(bulk.next(never))
  assert.deepEqual([settled?.perhapsRewritten, settled?.alreadyCurrent], [0, 60])
})

test('next to the data: a server that lets every place expire ends it', async () => {
  const simulation = new Simulation('bulk')
  const { bulk, asked } = source(simulation, stale, () => {
    throw new ApiError(410, 'Expired', 'too old')
  })
  await assert.rejects(
    simulation.settle(bulk.next(never)),
    /^ListingEnded: the listing expired too often: too old$/,
  )
  assert.ok(asked.length < 10, String(asked.length))
})
