import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { crdForTest } from '../plan/crd-for-test.ts'
import { CrdRun } from './crd-run.ts'
import { LampsForTest } from './lamps-for-test.ts'
import { lookAtCrd } from './look-at-crd.ts'
import type { UpgradeSession } from './upgrade-options.ts'

const schemaOf = (...fields: readonly string[]) => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: Object.fromEntries(fields.map((each) => [each, { type: 'string' }])),
    },
  },
})
const live = crdForTest({ versions: 'v1*', schema: schemaOf('color', 'watts') })
const wanted = crdForTest({ versions: 'v1*', schema: schemaOf('color') })
const lossy = 'stored objects would lose or change fields, or be refused: spec.watts'

interface Row {
  readonly acceptLoss?: readonly string[]
  /** At the dry run of the CRD, which is the last request before its write. */
  readonly meanwhile: (lamps: LampsForTest) => void
  /** At each list of metadata. */
  readonly onList?: (lamps: LampsForTest) => void
  readonly refusal?: string
  readonly saved?: readonly string[]
  readonly lists?: number
}

const rows: Readonly<Record<string, Row>> = {
  'nothing is written: one list of metadata': { meanwhile: () => {}, lists: 1 },
  'an object got a field that the new schema lacks': {
    meanwhile: (lamps) => lamps.put('a', { color: 'red', watts: '5' }),
    refusal: lossy,
  },
  'the loss of that field is accepted: the object is saved': {
    ...{ acceptLoss: ['spec.watts'], saved: ['a'] },
    meanwhile: (lamps) => lamps.put('a', { color: 'red', watts: '5' }),
  },
  'an object was created with it': {
    meanwhile: (lamps) => lamps.put('new', { watts: '5' }),
    refusal: lossy,
  },
  'an object was deleted': { meanwhile: (lamps) => lamps.drop('a') },
  'an object was written, and loses nothing': {
    meanwhile: (lamps) => lamps.put('a', { color: 'blue' }),
    lists: 2,
  },
  'an object got the field while another one was compared again': {
    meanwhile: (lamps) => lamps.put('a', { color: 'blue' }),
    onList: (lamps) => lamps.lists === 2 && lamps.put('b', { watts: '5' }),
    refusal: lossy,
  },
  'an object that is written all the time': {
    meanwhile: () => {},
    onList: (lamps) => lamps.put('a', { color: String(lamps.lists) }),
    lists: 5,
  },
}

function sessionOf(
  t: TestContext,
  lamps: LampsForTest,
  simulation: Simulation,
  acceptLoss: Row['acceptLoss'],
) {
  const directory = mkdtempSync(join(tmpdir(), 'strata-run-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const signal = new AbortController().signal
  return {
    cluster: { client: lamps.client, servers: async () => ({ servers: [] }) },
    context: { world: simulation.process('cli'), signal, warn: () => {} },
    options: { acceptLoss: acceptLoss ?? [], concurrency: 2, dryRun: false, back: false },
    directory,
  } as unknown as UpgradeSession
}

for (const [name, { acceptLoss, meanwhile, onList, refusal, saved = [], lists }] of Object.entries(rows)) {
  test(`the new file is applied after what was written meanwhile is compared: ${name}`, async (t) => {
    const simulation = new Simulation('late writes')
    const lamps = new LampsForTest(live, { wanted, onDryRun: meanwhile, onList: onList ?? (() => {}) })
    for (const each of ['a', 'b']) lamps.put(each, { color: 'red' })
    const session = sessionOf(t, lamps, simulation, acceptLoss)
    const document = {
      ...{ name: live.metadata.name, crd: wanted, manifest: wanted, apiVersion: 'apiextensions.k8s.io/v1' },
      ...{ unknownFields: [], place: { file: 'f', line: 1 } },
    }
    const look = await simulation.settle(lookAtCrd(session, document as never))
    const step = simulation.settle(new CrdRun(session, look).step())
    if (refusal === undefined) await step
    else await assert.rejects(step, { result: 'lossy', message: refusal })
    assert.equal(lamps.isApplied, refusal === undefined)
    if (lists !== undefined) assert.equal(lamps.lists, lists)
    const files = readdirSync(session.directory).filter((each) => each.includes('.objects.'))
    const lines = files.flatMap((each) =>
      readFileSync(join(session.directory, each), 'utf8').trim().split('\n'),
    )
    assert.deepEqual(
      lines.map((each) => JSON.parse(each).metadata.name),
      saved,
    )
  })
}
