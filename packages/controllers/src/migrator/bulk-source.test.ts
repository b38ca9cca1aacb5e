import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type StorageReencodeStatus, timeout } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { BulkSource, type BulkSourceOptions } from './bulk-source.ts'
import { Halt } from './halt.ts'

const never = new AbortController().signal
const resource = { group: 'g.dev', resource: 'things' }
const done: StorageReencodeStatus = {
  ...{ outcome: 'Done', epoch: 3, examined: 5, migrated: 5, alreadyCurrent: 0, left: 0 },
} as StorageReencodeStatus

function source(simulation: Simulation, census: BulkSourceOptions['data']['census']) {
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
        return done
      },
    },
    target: { resource, epoch: 3, encodingVersion: 'g.dev/v2' },
    ...{ batchSize: 100, requestTimeoutMs: 60_000, censusTimeoutMs: 600_000, patienceMs: 600_000 },
    settledBefore: 0,
    through: () => assert.fail('nothing was refused'),
    halt: new Halt(never, () => 'run'),
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
  ['is given up by somebody in between', () => Promise.reject(new ApiError(504, 'Timeout', 'gateway'))],
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
