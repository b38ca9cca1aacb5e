import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { UpgradeStop } from '../upgrade-stop.ts'
import type { CrdWrite } from './crd-write.ts'
import { type CrdChannel, dryRunCrd } from './send-crd.ts'

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
