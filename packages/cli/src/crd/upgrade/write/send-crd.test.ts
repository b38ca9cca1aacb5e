import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { type HttpResponse, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { UpgradeStop } from '../upgrade-stop.ts'
import { type CrdWrite, writeOfSpec } from './crd-write.ts'
import { type CrdChannel, dryRunCrd, readCrd, sendCrd } from './send-crd.ts'

const fieldConflict = { details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec' }] } }

const cases: ReadonlyArray<[name: string, status: object, want: readonly [result: string, exit: string]]> = [
  ['others have written it since it was read', { code: 409, reason: 'Conflict' }, ['aborted', 'aborted']],
  [
    'another manager owns a field',
    { code: 409, reason: 'Conflict', ...fieldConflict },
    ['stopped', 'incomplete'],
  ],
  ['the server refuses it', { code: 422, reason: 'Invalid' }, ['stopped', 'incomplete']],
]
for (const [name, status, [result, exit]] of cases) {
  test(`a dry run of a CRD: ${name}`, async () => {
    const simulation = new Simulation('dry run')
    const body = utf8.encode(JSON.stringify({ kind: 'Status', apiVersion: 'v1', message: 'no', ...status }))
    const { code } = status as { code: number }
    const client = createClient({ transport: async () => ({ status: code, headers: {}, body }) })
    const context = { world: simulation.process('cli'), signal: new AbortController().signal }
    const channel = { cluster: { client }, context, forceConflicts: false } as unknown as CrdChannel
    const write: CrdWrite = {
      writer: { manager: 'kubectl', operation: 'Apply' },
      body: {},
    }
    await assert.rejects(simulation.settle(dryRunCrd(channel, 'lamps', write)), (stop: UpgradeStop) => {
      assert.deepEqual([stop.result, stop.exit], [result, exit])
      return true
    })
  })
}

const born = crdForTest({ versions: 'v1*' })
const after = crdForTest({ versions: 'v1 v2*' })
const { name: lamps = '' } = born.metadata

type Answer = 'as it is' | 'cut' | 'others wrote its status' | readonly [code: number, details?: object]
/** For each write that is sent, and is no dry run: whether it is done, and the answer. */
type Change = (time: number) => { readonly isDone: boolean; readonly answer: Answer }

const answer = (status: number, body: object): HttpResponse => ({
  ...{ status, headers: {}, body: utf8.encode(JSON.stringify(body)) },
})
const refusal = (code: number, details: object = {}): HttpResponse =>
  answer(code, { kind: 'Status', apiVersion: 'v1', message: 'no', code, ...details })

async function write(change: Change, isGone = false, before: () => Promise<void> = async () => {}) {
  const simulation = new Simulation('send crd')
  let live = born
  let revision = 1
  let times = 0
  const next = () => ({ ...live, spec: after.spec })
  const client = createClient({
    transport: async ({ method, target, body = new Uint8Array() }) => {
      if (isGone && times > 0) throw new TransportError('reset', 'unknown')
      if (method === 'GET') return answer(200, live)
      if (target.includes('dryRun=All')) return answer(200, next())
      const { isDone, answer: said } = change(++times)
      const { metadata } = JSON.parse(utf8.decode(body))
      if (metadata.resourceVersion !== String(revision)) return refusal(409, { reason: 'Conflict' })
      if (isDone || said === 'others wrote its status') {
        const spec = isDone ? after.spec : live.spec
        live = { ...live, spec, metadata: { ...live.metadata, resourceVersion: String(++revision) } }
      }
      if (said === 'cut') throw new TransportError('reset', 'unknown')
      if (said === 'others wrote its status') return refusal(409, { reason: 'Conflict' })
      return said === 'as it is' ? answer(200, live) : refusal(...said)
    },
  })
  const context = { world: simulation.process('cli'), signal: new AbortController().signal }
  const channel = { cluster: { client }, context, forceConflicts: false } as unknown as CrdChannel
  const sending = sendCrd(channel, lamps, {
    check: () => readCrd(channel, lamps),
    make: (now = born) => writeOfSpec(now, after.spec, { manager: 'kubectl', operation: 'Apply' }),
    before,
  })
  const [result, exit] = await simulation.settle(sending).then(
    ({ spec }) => {
      assert.deepEqual(spec, after.spec)
      return ['written', undefined]
    },
    (error) => {
      assert.ok(error instanceof UpgradeStop, String(error))
      return [error.result, error.exit]
    },
  )
  return [result, exit, times]
}

const done = { isDone: true, answer: 'as it is' } as const
const writes: ReadonlyArray<
  [name: string, change: Change, want: readonly [result: string, exit: string | undefined, times: number]]
> = [
  ['done and answered', () => done, ['written', undefined, 1]],
  [
    'done, and the connection is cut before the answer',
    () => ({ isDone: true, answer: 'cut' }),
    ['written', undefined, 1],
  ],
  [
    'the connection is cut before it is done: it is sent again',
    (time) => (time === 1 ? { isDone: false, answer: 'cut' } : done),
    ['written', undefined, 2],
  ],
  ['a proxy says 502, and it is done', () => ({ isDone: true, answer: [502] }), ['written', undefined, 1]],
  [
    'too many requests: it is sent again',
    (time) => (time === 1 ? { isDone: false, answer: [429] } : done),
    ['written', undefined, 2],
  ],
  [
    'others wrote its status: it is sent again',
    (time) => (time === 1 ? { isDone: false, answer: 'others wrote its status' } : done),
    ['written', undefined, 2],
  ],
  [
    'others write it each time',
    () => ({ isDone: false, answer: 'others wrote its status' }),
    ['aborted', 'aborted', 4],
  ],
  ['cut each time: unknown', () => ({ isDone: false, answer: 'cut' }), ['unknown', 'unknown', 4]],
  [
    'cut, then refused: the first may be on its way',
    (time) => ({ isDone: false, answer: time === 1 ? 'cut' : [403, { reason: 'Forbidden' }] }),
    ['unknown', 'unknown', 2],
  ],
  [
    'refused: it is as it was',
    () => ({ isDone: false, answer: [422, { reason: 'Invalid' }] }),
    ['stopped', 'incomplete', 1],
  ],
]
for (const [name, change, want] of writes) {
  test(`a write of a CRD: ${name}`, async () => assert.deepEqual(await write(change), want))
}

test('a write of a CRD: cut, and the server is gone: unknown', async () =>
  assert.deepEqual(await write(() => ({ isDone: false, answer: 'cut' }), true), ['unknown', 'unknown', 1]))

test('a write of a CRD: cut, and what is compared before the next try forbids it: the first may be on its way', async () => {
  let tries = 0
  const before = async () => {
    if (++tries === 2) throw new UpgradeStop('lossy', 'incomplete', 'spec.watts would be lost')
  }
  assert.deepEqual(await write(() => ({ isDone: false, answer: 'cut' }), false, before), [
    'unknown',
    'unknown',
    1,
  ])
})
