import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import type { MigrationTarget } from '@strata/controllers'
import type { Claim } from '@strata/insight'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../../context.ts'
import type { MigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { type MigrateOptions, MigrationJob } from '../run/migration-job.ts'
import { claimOrFollow } from './claim-or-follow.ts'
import type { RecordState, RecordStore } from './record.ts'

const elsewhere: Claim = { by: 'command', id: 'c', hostname: 'h', bootId: 'b', pid: 7, startTicks: '9' }
const resource = {
  ...{ group: 'g.dev', resource: 'things', versionName: 'v1', kind: 'Thing', namespaced: true, verbs: [] },
}

const record = (id: string, more: Partial<RecordState> = {}): RecordState => ({
  ...{ where: `migrations/${id}`, id, mark: '1', claim: elsewhere, isForeign: false, isPaused: false },
  ...{ isCancelled: false, end: undefined, progress: {}, ...more },
})
const succeeded = { outcome: 'succeeded', proof: 'proven', because: 'done' } as const
const paused = record('first', { claim: undefined, isPaused: true })
const pausing = record('first', { mark: '2', isPaused: true })
const isPaused = ['migrations/first', 'paused', 'it was paused'] as const
const isCancelled = ['migrations/first', 'aborted', 'it was cancelled'] as const

/** The migrations of each read; the first that has not ended, in the order of the row, is the open one. */
const rows: readonly [name: string, looks: readonly (readonly RecordState[])[], want: readonly string[]][] = [
  [
    'one that ends',
    [[record('first')], [record('first', { end: succeeded })]],
    ['migrations/first', 'succeeded', 'done'],
  ],
  [
    'one that is deleted',
    [[record('first')], []],
    ['migrations/first', 'aborted', 'migrations/first was deleted'],
  ],
  [
    'one that is paused, and another goes first: that one',
    [[record('first')], [record('second'), paused], [record('second', { end: succeeded })]],
    ['migrations/second', 'succeeded', 'done'],
  ],
  ['one that is paused, and let go: it stays so', [[record('first')], [paused]], isPaused],
  [
    'one that could not go on, and is let go: nor could we',
    [[record('first')], [{ ...paused, failure: 'no server answers' }]],
    ['migrations/first', 'failed', 'no server answers'],
  ],
  ['one that is asked to pause: until it is let go', [[record('first')], [pausing], [paused]], isPaused],
  [
    'one that is asked to pause and comes to its end first',
    [[record('first')], [pausing], [record('first', { end: succeeded })]],
    ['migrations/first', 'succeeded', 'done'],
  ],
  [
    'one that is paused, and another one without a claim goes first: that is not taken instead',
    [[record('first')], [record('second', { claim: undefined }), paused]],
    isPaused,
  ],
  ['one that is cancelled', [[record('first')], [record('first', { isCancelled: true })]], isCancelled],
]
for (const [name, looks, want] of rows) {
  test(`following ${name}`, async () => {
    const { place, notes } = await find(name, looks)
    assert.ok(place.kind === 'over')
    const { report } = place
    assert.deepEqual([report.record, report.outcome, report.because], want)
    const isOpen = report.outcome === 'paused' || report.outcome === 'failed'
    assert.equal(report.handOver, isOpen ? `unpause ${want[0]}` : undefined)
    const followed = notes.map((note) => /^following (\S+): /.exec(note)?.[1])
    assert.equal(followed.at(-1), want[0])
  })
}

for (const [name, looks] of [
  ['was paused before', [[paused]]],
  ['is about to be let go, for it was paused before', [[pausing], [paused]]],
] as const) {
  test(`a command that is newly started takes one that ${name}`, async () => {
    const { place, notes } = await find(name, looks)
    assert.equal(place.kind, 'held')
    assert.equal(notes.at(-1), 'resuming migrations/first: it was paused')
  })
}

async function find(name: string, looks: readonly (readonly RecordState[])[]) {
  const simulation = new Simulation(name)
  const notes: string[] = []
  const view = { note: (_: string, text: string) => notes.push(text), progress: () => {}, waits: () => {} }
  const client = { resource: () => ({ get: () => Promise.reject(new ApiError(404, 'NotFound', 'none')) }) }
  const context = {
    ...{ world: simulation.process('cli'), signal: new AbortController().signal, environment: {} },
  }
  const job = new MigrationJob(
    ...([{ client } as unknown as Cluster, resource, { takeOver: false } as MigrateOptions] as const),
    ...([view as unknown as MigrationView, context as unknown as CliContext] as const),
  )
  let look = -1
  const now = () => looks[Math.min(look, looks.length - 1)] ?? []
  const records = {
    readOpen: async () => {
      look++
      return now().find(({ end }) => end === undefined)
    },
    readById: async (id: string) => now().find((each) => each.id === id),
    claim: async (open: RecordState) => ({ where: open.where }),
    handOver: (where: string) => `unpause ${where}`,
  } as unknown as RecordStore
  return { place: await simulation.settle(claimOrFollow(job, records, {} as MigrationTarget)), notes }
}
