import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceUnavailable, timeout } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../../context.ts'
import type { MigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { type MigrateOptions, MigrationJob } from './migration-job.ts'

function jobIn(simulation: Simulation): MigrationJob {
  const resource = {
    group: 'g.dev',
    resource: 'things',
    versionName: 'v1',
    kind: 'Thing',
    namespaced: true,
    verbs: [],
  }
  const view = { wait: () => {}, waits: () => false } as unknown as MigrationView
  const context = { world: simulation.process('cli'), signal: new AbortController().signal, environment: {} }
  return new MigrationJob(
    {} as Cluster,
    resource,
    {} as MigrateOptions,
    view,
    context as unknown as CliContext,
  )
}
const after = (simulation: Simulation, delayMs: number, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    simulation.process('server').clock.after(delayMs, () => resolve('read'))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const rows: readonly [
  name: string,
  answer: (simulation: Simulation, signal: AbortSignal, time: number) => Promise<string>,
  want: string | undefined,
  asked: number,
][] = [
  ['may take minutes', (simulation, signal) => after(simulation, 300_000, signal), 'read', 1],
  [
    'that never ends is done without',
    (simulation, signal) => after(simulation, 10_000_000, signal),
    undefined,
    1,
  ],
  ['that the server gives up is done without', () => Promise.reject(timeout('too long')), undefined, 1],
  [
    'is asked for again if no server answered',
    (_simulation, _signal, time) =>
      time < 3 ? Promise.reject(serviceUnavailable('away')) : Promise.resolve('read'),
    'read',
    3,
  ],
]
for (const [name, answer, want, asked] of rows) {
  test(`a reading of everything ${name}`, async () => {
    const simulation = new Simulation('job')
    let times = 0
    const read = jobIn(simulation).read((signal) => answer(simulation, signal, ++times))
    assert.deepEqual([await simulation.settle(read), times], [want, asked])
  })
}
