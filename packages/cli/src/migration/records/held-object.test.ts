import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectModified } from '@strata/api'
import type { ResourceClient } from '@strata/client'
import {
  type Claim,
  claimAnnotation,
  claimText,
  type MigrationGroup,
  type MigrationObject,
  migrationGroups,
  viewOf,
} from '@strata/insight'
import { Simulation } from '@strata/world/sim'
import { HeldObject } from './held-object.ts'
import { stateOf } from './object-state.ts'
import type { SaveOutcome } from './record.ts'

const claim: Claim = { by: 'command', id: 'us', hostname: 'h', bootId: 'b', pid: 7, startTicks: '9' }
const never = new AbortController().signal

function object(more: Readonly<Record<string, string>> = {}): MigrationObject {
  const annotations = { [claimAnnotation]: claimText(claim), ...more }
  return {
    metadata: { name: 'm', uid: 'u', resourceVersion: '7', annotations },
    spec: { resource: { group: 'g.dev', resource: 'things' } },
  }
}

const rows: readonly [name: string, annotations: Readonly<Record<string, string>>, want: SaveOutcome][] = [
  ['cancelled', { 'strata.dev/cancel': 'true' }, 'deleted'],
  ['cancelled with no word, as for the runner', { 'strata.dev/cancel': '' }, 'deleted'],
  ['not cancelled', { 'strata.dev/cancel': 'false' }, 'saved'],
  ['paused', { 'strata.dev/paused': 'true' }, 'paused'],
  ['paused in other words', { 'strata.dev/paused': 'yes' }, 'paused'],
  ['not paused', { 'strata.dev/paused': 'false' }, 'saved'],
  ["another process's", { [claimAnnotation]: claimText({ ...claim, id: 'other' }) }, 'taken'],
]
const addressOf = (group: MigrationGroup) => ({
  ...{ group, resource: 'storageversionmigrations', versionName: 'v1' },
})

/** Its first write is refused, because the object has changed as given. */
function refused(annotations: Readonly<Record<string, string>>): HeldObject {
  const { clock } = new Simulation('held').process('command')
  const group = 'migration.k8s.io'
  let times = 0
  const write = async () => {
    if (++times === 1) throw objectModified(addressOf(group), 'm')
    return object(annotations)
  }
  const objects = {
    address: addressOf(group),
    ...{ get: async () => object(annotations), patch: write },
  } as unknown as ResourceClient<MigrationObject>
  return new HeldObject(objects, viewOf(group, object()), claim, clock)
}

for (const [name, annotations, want] of rows) {
  test(`held object: a write is refused, and it is ${name} by now: ${want}`, async () => {
    assert.equal(await refused(annotations).renew(never), want)
  })
}

for (const group of migrationGroups) {
  test(`held object: ${group}: what is waited for stands in the Running condition, and a process that follows it reads it`, async () => {
    const { clock } = new Simulation('waits').process('command')
    const written: MigrationObject[] = []
    const objects = {
      address: addressOf(group),
      patch: async (_: unknown, { status }: MigrationObject) => {
        const { metadata, ...rest } = object()
        written.push({
          ...rest,
          metadata: { ...metadata, resourceVersion: '8' },
          ...(status ? { status } : {}),
        })
        return written.at(-1)
      },
    } as unknown as ResourceClient<MigrationObject>
    const held = new HeldObject(objects, viewOf(group, object()), claim, clock)
    await held.save({ total: 3 }, never, 'not served')
    await held.save({ total: 3 }, never)
    const conditions = written.map(({ status }) => status?.conditions?.[0])
    assert.deepEqual(
      conditions.map((each) => [each?.type, each?.status, each?.reason, each?.message]),
      [
        ['Running', 'True', 'MigrationRunning', 'The migration is running; transient error: not served'],
        ['Running', 'True', 'MigrationRunning', 'The migration is running'],
      ],
    )
    assert.deepEqual(
      written.map((each) => stateOf(viewOf(group, each)).waitingFor ?? undefined),
      ['not served', undefined],
    )
  })
}

for (const word of ['paused', 'cancel']) {
  test(`held object: one that was asked to ${word} when all was done has ended`, async () => {
    const end = { outcome: 'succeeded', proof: 'proven', because: 'done' } as const
    assert.equal(await refused({ [`strata.dev/${word}`]: 'true' }).finish(end, {}, never), 'saved')
  })
}
