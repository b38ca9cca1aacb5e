import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CustomPlural, customGroup, customPrefix, definitionKey as keyOf, leasePrefix } from './keys.ts'
import { Stage } from './stage.ts'
import { definition, definitionPath, definitionsPath, type Wanted } from './world/definitions.ts'
import type { Reply } from './world/request.ts'

const first: Wanted = { storage: 'v1', served: ['v1', 'v2'], mark: 'mark1' }

async function define(stage: Stage, plural: CustomPlural = 'gadgets', through = 'a'): Promise<void> {
  const body = definition(plural, first)
  const made = await stage.ask(through, { method: 'POST', target: definitionsPath, body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await stage.pass(1_000)
}

async function redefine(stage: Stage, through: string, wanted: Wanted): Promise<void> {
  const { metadata } = (await stage.ask(through, { method: 'GET', target: definitionPath('gadgets') })).body
  const next = definition('gadgets', wanted)
  const body = { ...next, metadata: { ...next.metadata, resourceVersion: metadata.resourceVersion } }
  const put = await stage.ask(through, { method: 'PUT', target: definitionPath('gadgets'), body })
  assert.equal(put.status, 200, JSON.stringify(put.body))
}

const gadgets = (versionName: string): string =>
  `/apis/${customGroup}/${versionName}/namespaces/default/gadgets`
const gadget = (versionName: string, name: string, spec: object = { colour: 'red' }) => ({
  ...{ apiVersion: `${customGroup}/${versionName}`, kind: 'Gadget', metadata: { name }, spec },
})
const create = (
  stage: Stage,
  through: string,
  name: string,
  versionName = 'v1',
  query = '',
): Promise<Reply> =>
  stage.ask(through, {
    ...{ method: 'POST', target: `${gadgets(versionName)}${query}`, body: gadget(versionName, name) },
  })

const stored = (stage: Stage, name: string): { apiVersion: string; spec: Record<string, string> } => {
  const [entry] = stage.world.data.read([`${customPrefix('gadgets')}default/${name}`]).entries
  assert.ok(entry, `${name} is not stored`)
  return JSON.parse(Buffer.from(entry.value).toString())
}

/** Two servers, of which the second has lost the store while a definition is changed, and has it again just now. */
async function behind(title: string, wanted: Wanted): Promise<Stage> {
  const stage = new Stage(title)
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  await define(stage)
  assert.equal((await create(stage, 'b', 'early')).status, 201)
  stage.world.disturbances.cutOff(b.process)
  await stage.pass(1_000)
  await redefine(stage, 'a', wanted)
  await stage.pass(1_000)
  stage.world.disturbances.reconnect(b.process)
  return stage
}

test('rule 4: a server that has not heard of the new storage version stores by it all the same', async () => {
  const stage = await behind('late switch', { ...first, storage: 'v2', mark: 'mark2' })
  const made = await create(stage, 'b', 'late')
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal(stored(stage, 'late').apiVersion, `${customGroup}/v2`)
  assert.ok('mark2' in stored(stage, 'late').spec)
  stage.verify()
})

test('rule 4: a server that has not heard of a new field does not refuse it', async () => {
  const stage = await behind('late field', { ...first, mark: 'mark2' })
  const body = gadget('v1', 'late', { colour: 'red', mark2: 'y' })
  const target = `${gadgets('v1')}?fieldValidation=Strict`
  const made = await stage.ask('b', { method: 'POST', target, body })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal(stored(stage, 'late').spec['mark2'], 'y')
  stage.verify()
})

test('rule 4: a version that is served no more is not there, on a server that has not heard of it either', async () => {
  const stage = await behind('late withdrawal', { ...first, storage: 'v2', served: ['v2'], mark: 'mark2' })
  assert.equal((await stage.ask('b', { method: 'GET', target: `${gadgets('v1')}/early` })).status, 404)
  assert.equal((await stage.ask('b', { method: 'GET', target: `${gadgets('v2')}/early` })).status, 200)
})

test('rule 4: nothing comes while a definition goes, and nothing is left of it, though no version is served', async () => {
  const stage = await behind('late end', { ...first, served: [], mark: 'mark2' })
  const gone = await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  assert.equal(gone.status, 200)
  const late = await create(stage, 'b', 'late')
  assert.equal(late.status, 404, JSON.stringify(late.body))
  await stage.until('it is gone', () => stage.world.data.read([keyOf('gadgets')]).entries[0] === undefined)
  assert.equal(stage.world.data.list({ prefix: customPrefix('gadgets') }).entries.length, 0)
  await stage.pass(3_000)
  assert.deepEqual(stage.recordOf(`${customGroup}.gadgets`).status.servers, [])
  stage.verify()
})

test('rule 4: a definition by the same name is another one, and begins with an entry of its own', async () => {
  const stage = new Stage('recreated')
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  await define(stage)
  assert.equal((await create(stage, 'b', 'old')).status, 201)
  const { epoch } = stage.recordOf(`${customGroup}.gadgets`).status
  await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  await stage.until('it is gone', () => stage.world.data.read([keyOf('gadgets')]).entries[0] === undefined)
  const body = definition('gadgets', { ...first, storage: 'v2', mark: 'mark9' })
  assert.equal((await stage.ask('b', { method: 'POST', target: definitionsPath, body })).status, 201)
  await stage.pass(2_000)
  assert.equal((await create(stage, 'a', 'new')).status, 201)
  const { status } = stage.recordOf(`${customGroup}.gadgets`)
  assert.deepEqual([status.agreedVersion, status.servers.length], [`${customGroup}/v2`, 2])
  assert.ok(status.epoch > epoch, 'the epoch never goes back')
  stage.verify()
})

test('rule 7: a server that leaves as a definition goes leaves no entry behind', async () => {
  const stage = new Stage('leaving a definition')
  const { fleet, disturbances } = stage.world
  const a = await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  await define(stage)
  assert.equal(stage.recordOf(`${customGroup}.gadgets`).status.servers.length, 2)
  disturbances.freeze(b.process)
  await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  await stage.until('it is gone', () => stage.world.data.read([keyOf('gadgets')]).entries[0] === undefined)
  await stage.pass(1_000)
  disturbances.thaw(b.process)
  fleet.stop(b)
  fleet.stop(a)
  await stage.until('both have left', () => a.process.crashed && b.process.crashed)
  assert.deepEqual(stage.recordOf(`${customGroup}.gadgets`).status.servers, [])
  stage.verify()
})

test('rule 1: entries of a process whose Lease was collected go with its successor, though their definition is gone', async () => {
  const stage = new Stage('successor')
  const { data, fleet } = stage.world
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  await define(stage)
  b.process.crash()
  await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  await stage.until('it is gone', () => data.read([keyOf('gadgets')]).entries[0] === undefined)
  const lease = `${leasePrefix}${b.run.serverID}`
  await stage.until('its Lease is gone', () => data.read([lease]).entries[0] === undefined)
  assert.equal(stage.recordOf(`${customGroup}.gadgets`).status.servers.length, 1)
  // Before the collector of entries comes by: it finds a Lease again, and that is all it asks for.
  fleet.start('b', 'b', 'x+1')
  await stage.pass(60_000)
  assert.deepEqual(stage.recordOf(`${customGroup}.gadgets`).status.servers, [])
  stage.verify()
})

test('names: a kind that becomes free is given to one of those who wait for it', async () => {
  const stage = new Stage('heirs')
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  await define(stage, 'gadgets', 'a')
  await define(stage, 'gizmos', 'b')
  await define(stage, 'gears', 'a')
  await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  await stage.pass(5_000)
  const accepted = await Promise.all(
    (['gizmos', 'gears'] as const).map(async (plural) => {
      const [entry] = stage.world.data.read([keyOf(plural)]).entries
      return Buffer.from(entry?.value ?? []).includes('"NoConflicts"')
    }),
  )
  assert.deepEqual(accepted.toSorted(), [false, true])
  stage.verify()
})
