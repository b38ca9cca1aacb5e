import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideUnseenNames, unseenServersOf } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from '../../store/homes.ts'
import { agreementKey, agreementKind } from '../frozen-kinds.ts'
import { AgreementRecords } from '../record/agreement-records.ts'
import { EarlierRuns } from './earlier-runs.ts'

const never = new AbortController().signal
const resources = ['things', 'others'].map((resource) => ({ group: 'example.dev', resource }))

/** Two records, which name the server itself (u_2), an earlier run of it and another server. */
async function setUp() {
  const simulation = new Simulation('earlier runs')
  const world = simulation.process('u')
  const data = new MemoryData()
  const store = createMemoryStore(data)
  const records = new AgreementRecords({ store, world })
  const state = async (process: string, resource: { group: string; resource: string }): Promise<void> => {
    const states = { process, since: 't', writeKey: 'k', readableKeys: ['k'] }
    await simulation.settle(
      records.change(
        resource,
        ({ stored, entries }) => ({
          ...{ entries, guards: [], states },
          unseen: [...(stored?.record.status.unseenProcesses ?? []), process].sort(),
        }),
        never,
      ),
    )
  }
  for (const resource of resources)
    for (const process of ['u_1', 'u_2', 'd_1']) await state(process, resource)
  const names = () =>
    resources.map((resource) => {
      const [entry] = data.read([agreementKey(resource)]).entries
      assert.ok(entry)
      return unseenServersOf(agreementKind.decode(entry)).map(({ process }) => process)
    })
  const self = { serverID: 'u', process: 'u_2' }
  const runs = new EarlierRuns({
    store,
    world,
    records,
    self,
    rules: { decideUnseenNames },
    intervalMs: 600_000,
  })
  const look = () => simulation.settle(runs.look(never))
  const pass = (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms })
  return { look, names, pass, state }
}
const all = ['d_1', 'u_1', 'u_2']
const others = ['d_1', 'u_2']

test('earlier runs: a name that does not come back to one record is removed from all', async () => {
  const { look, names, pass } = await setUp()
  const waitMs = (await look()) ?? 0
  assert.deepEqual(names().toSorted(), [all, others].toSorted())
  await pass(waitMs)
  assert.equal(await look(), undefined)
  await pass(1_000)
  assert.deepEqual(names(), [others, others])
})

test('earlier runs: a name that comes back is left alone, for longer each time', async () => {
  const { look, names, pass, state } = await setUp()
  const waits: (number | undefined)[] = []
  for (let turn = 0; turn < 3; turn++) {
    const answerMs = (await look()) ?? 0
    const at = names().findIndex((each) => !each.includes('u_1'))
    await state('u_1', resources[at] ?? { group: '', resource: '' })
    await pass(answerMs)
    const waitMs = (await look()) ?? 0
    waits.push(Math.round(waitMs / 60_000))
    assert.deepEqual(names(), [all, all])
    await pass(waitMs)
  }
  assert.deepEqual(waits, [2, 4, 8])
})
