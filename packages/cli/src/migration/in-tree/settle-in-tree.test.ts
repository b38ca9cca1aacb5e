import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { viewOf } from '@strata/insight'
import { type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { crdForTest } from '../../crd/plan/crd-for-test.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import type { InTreeObjects } from './in-tree-objects.ts'
import type { InTreeEnd } from './in-tree-state.ts'
import { settleInTree } from './settle-in-tree.ts'

interface Row {
  /** status.storedVersions, which the migrator may have cut. */
  readonly stored: readonly string[]
  /** The migrator has not cleaned up yet. */
  readonly saysRunning: boolean
  readonly want: 'restored' | 'as they were' | 'unknown'
  /** No later command restores then. */
  readonly isSettled: boolean
}

const rows: Readonly<Record<string, Row>> = {
  'cut, and cleaned up': { stored: ['v2'], saysRunning: false, want: 'restored', isSettled: true },
  'not cut, and cleaned up': {
    ...{ stored: ['v1', 'v2'], saysRunning: false, want: 'as they were', isSettled: true },
  },
  'cut, and not cleaned up: it may be cut again': {
    ...{ stored: ['v2'], saysRunning: true, want: 'unknown', isSettled: false },
  },
  'not cut, and not cleaned up: it may be cut yet': {
    ...{ stored: ['v1', 'v2'], saysRunning: true, want: 'unknown', isSettled: false },
  },
}

const answer = (body: object): HttpResponse => ({
  ...{ status: 200, headers: {}, body: utf8.encode(JSON.stringify(body)) },
})

for (const [name, { stored, saysRunning, want, isSettled }] of Object.entries(rows)) {
  test(`a failed migration of upstream's migrator: storedVersions ${name}`, async () => {
    const simulation = new Simulation('settle')
    const patched: unknown[] = []
    const client = createClient({
      transport: async ({ method, body = new Uint8Array() }) => {
        if (method === 'PATCH') patched.push(JSON.parse(utf8.decode(body)).status.storedVersions)
        return answer(crdForTest({ versions: 'v1 v2*', stored }))
      },
    })
    const settled: string[] = []
    const objects = { settle: async ({ name: each }: { name: string }) => settled.push(each) }
    const job = {
      ...{ cluster: { client }, resource: { group: 'light.example.dev', resource: 'lamps' } },
      ...{ name: 'lamps.light.example.dev', view: { note: () => {} } },
      context: { world: simulation.process('cli'), signal: new AbortController().signal },
      writeEnd: (say: (signal: AbortSignal) => Promise<unknown>) => say(new AbortController().signal),
    } as unknown as MigrationJob
    const conditions = ['Failed', ...(saysRunning ? ['Running'] : [])]
    const before = { uid: 'u', storedVersions: ['v1', 'v2'] }
    const ended = viewOf('storagemigration.k8s.io', {
      metadata: { name: 'm', uid: 'm', annotations: { 'strata.dev/crd-before': JSON.stringify(before) } },
      status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
    })
    const state: InTreeEnd = { kind: 'ended', result: 'Failed', message: 'refused' }
    const settling = settleInTree({
      ...{ job, objects: objects as unknown as InTreeObjects, target: undefined, ended, before, state },
    })
    const { inTree } = await simulation.settle(settling)
    assert.equal(inTree?.storedVersions?.result, want)
    assert.deepEqual(settled, isSettled ? ['m'] : [])
    assert.deepEqual(patched, stored.includes('v1') ? [] : [['v1', 'v2']])
    if (!saysRunning) return
    const { because = '' } = inTree?.storedVersions ?? {}
    assert.match(because, /may cut .* again .* remove no version .* run the same command again/)
  })
}
