import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type CustomResourceDefinition } from '@strata/api'
import { type Clock, silentLog, TransportError } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import type { Cluster } from '../../../migration/resources/cluster.ts'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { UpgradeStop } from '../upgrade-stop.ts'
import { type GuardedWrite, sendCrd } from './send-crd.ts'

const before = crdForTest({ versions: 'v1* v2' })
const after = crdForTest({ versions: 'v1 v2*' })
const writer = { manager: 'kubectl', operation: 'Apply' } as const
const conflict = (reason?: string): ApiError =>
  new ApiError(409, 'Conflict', 'it is another one', {
    ...(reason === undefined ? {} : { causes: [{ reason, message: 'm', field: '.spec.versions' }] }),
  })

/** What the server does with a real write: whether it is done, and what comes back. */
interface Answer {
  readonly isDone: boolean
  readonly error?: Error
}
const lost = new TransportError('cut', 'unknown')

const hasty: Clock = {
  ...nodeClock,
  after: (delayMs, callback) => nodeClock.after(delayMs / 100, callback),
}

async function send(answers: readonly Answer[], dryRun?: Error) {
  let stored = before
  let writes = 0
  let kept: CustomResourceDefinition | undefined
  const definitions = {
    apply: async (_: unknown, __: unknown, ___: unknown, options: { readonly dryRun?: boolean }) => {
      if (options.dryRun) {
        if (dryRun) throw dryRun
        return after
      }
      const { isDone, error } = answers[writes++] ?? { isDone: true }
      if (isDone) stored = after
      if (error) throw error
      return after
    },
  }
  const cluster = { client: { resource: () => definitions } } as unknown as Cluster
  const world = { ...createNodeWorld({ log: silentLog }), clock: hasty }
  const context = { world, signal: new AbortController().signal }
  const write: GuardedWrite = {
    check: async () => stored,
    make: () => ({ writer, body: {} }),
    before: (definition) => {
      kept = definition
    },
  }
  const channel = { cluster, context, forceConflicts: false }
  const sent = await sendCrd(channel, 'lamps', write).catch((error: unknown) => error)
  return { sent, writes, kept }
}

const rows: readonly [name: string, answers: readonly Answer[], writes: number, stop: RegExp | undefined][] =
  [
    ['done and answered', [], 1, undefined],
    ['done, and the answer is lost: seen by reading', [{ isDone: true, error: lost }], 1, undefined],
    ['not done, and the answer is lost: sent again', [{ isDone: false, error: lost }], 2, undefined],
    ['the status was written meanwhile: sent again', [{ isDone: false, error: conflict() }], 2, undefined],
    [
      'another manager owns a field',
      [{ isDone: false, error: conflict('FieldManagerConflict') }],
      1,
      /^lamps: it is another one$/,
    ],
    [
      'refused',
      [{ isDone: false, error: new ApiError(403, 'Forbidden', 'crd "lamps" is forbidden: no right') }],
      1,
      /not allowed: no right/,
    ],
    ['lost each time', Array.from({ length: 4 }, () => ({ isDone: false, error: lost })), 4, /unknown/],
  ]
for (const [name, answers, want, stop] of rows) {
  test(`write of a CRD is sent: ${name}`, async () => {
    const { sent, writes, kept } = await send(answers)
    assert.equal(writes, want)
    assert.deepEqual(kept, after)
    if (stop === undefined) assert.deepEqual(sent, after)
    else assert.ok(sent instanceof UpgradeStop && stop.test(sent.message), String(sent))
  })
}

test('write of a CRD is sent: not if the dry run is refused', async () => {
  const { sent, writes, kept } = await send([], new ApiError(422, 'Invalid', 'spec.scope: immutable'))
  assert.deepEqual([writes, kept], [0, undefined])
  assert.ok(sent instanceof UpgradeStop && /spec\.scope: immutable/.test(sent.message), String(sent))
})
