import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, notFound, objectModified } from '@strata/api'
import type { ResourceClient } from '@strata/client'
import { type Claim, claimText, type MigrationObject, type MigrationView, viewOf } from '@strata/insight'
import { Simulation } from '@strata/world/sim'
import { MigrationWriter } from './migration-writer.ts'

const kind = { group: 'migration.k8s.io', resource: 'storageversionmigrations' } as const
const never = new AbortController().signal

const claimOf = (id: string): Claim => ({
  ...{ by: 'runner', id, hostname: id, bootId: '', pid: 1, startTicks: '' },
})

type Sketch = { rv?: number; uid?: string; claimedBy?: string; resource?: string; ended?: boolean }

function object({
  rv = 7,
  uid = 'u',
  claimedBy,
  resource = 'things',
  ended = false,
}: Sketch = {}): MigrationObject {
  return {
    metadata: {
      ...{ name: 'm', uid, resourceVersion: String(rv) },
      ...(claimedBy === undefined
        ? {}
        : { annotations: { 'strata.dev/claimed-by': claimText(claimOf(claimedBy)) } }),
    },
    spec: { resource: { group: 'g.dev', resource } },
    status: { conditions: ended ? [{ type: 'Failed', status: 'True' }] : [] },
  }
}
const view = (sketch?: Sketch) => viewOf(kind.group, object(sketch))

/** A writer whose server gives the answers that the test lists, in order, and fails without one. */
function create({ mayTake = () => false }: { mayTake?: (view: MigrationView) => boolean } = {}) {
  const simulation = new Simulation('writer')
  const { clock } = simulation.process('p')
  const server = { answers: [] as (Error | MigrationObject)[], asked: [] as string[] }
  const migrations = {
    address: { ...kind, versionName: 'v1alpha1' },
    patch: async (_: unknown, patch: Record<string, unknown>) => {
      server.asked.push(JSON.stringify(patch))
      const answer = server.answers.shift() ?? new Error('nothing was to be asked')
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as ResourceClient<MigrationObject>
  const writer = new MigrationWriter({
    ...{ clock, migrations, view: view(), claim: claimOf('me'), mayTake },
    ...{ isWatched: true, fieldManager: 'test' },
  })
  const claimed = async (): Promise<void> => {
    server.answers.push(object({ rv: 8, claimedBy: 'me' }))
    assert.equal(await writer.claim(never), 'written')
    server.asked.length = 0
  }
  const write = () => simulation.settle(writer.write({ stage: { kind: 'running' } }, never))
  return { simulation, server, writer, claimed, write }
}

test('writer: the claim names uid and resourceVersion; refused, it is made anew where it still may be', async () => {
  const asked: (string | undefined)[] = []
  const mayTake = ({ claim }: MigrationView) => asked.push(claim?.id) > 0
  const { server, writer, simulation } = create({ mayTake })
  server.answers.push(objectModified(kind, 'm'), object({ rv: 10, claimedBy: 'me' }))
  simulation.schedule(1_000, 'watch', () => writer.observe(view({ rv: 9, claimedBy: 'other' })))
  // The new leader takes over from the leader before.
  assert.equal(await simulation.settle(writer.claim(never)), 'written')
  const sent = server.asked.map((each) => JSON.parse(each).metadata)
  assert.deepEqual(
    sent.map(({ uid, resourceVersion }) => [uid, resourceVersion]),
    [
      ['u', '7'],
      ['u', '9'],
    ],
  )
  assert.deepEqual(asked, ['other'])
})

for (const [when, answers] of [
  ['before our claim was refused', [objectModified(kind, 'm')]],
  ['before ours was sent', []],
] as const) {
  test(`writer: a claim that another process made ${when} is left to them`, async () => {
    const { server, writer, simulation } = create()
    server.answers.push(...answers)
    const news = () => writer.observe(view({ rv: 9, claimedBy: 'other' }))
    if (answers.length > 0) simulation.schedule(1_000, 'watch', news)
    else news()
    assert.equal(await simulation.settle(writer.claim(never)), 'taken over')
    assert.deepEqual([writer.isOurs, server.asked.length], [false, answers.length])
  })
}

test('writer: X13: a claim that another process has taken over ends all writing', async () => {
  const { server, writer, claimed, write, simulation } = create()
  await claimed()
  server.answers.push(objectModified(kind, 'm'))
  simulation.schedule(500, 'watch', () => writer.observe(view({ rv: 9, claimedBy: 'other' })))
  assert.equal(await write(), 'taken over')
  assert.equal(await write(), 'taken over')
  assert.equal(server.asked.length, 1)
})

test('writer: Q9: a lost race is written anew on what the watch tells', async () => {
  const { server, writer, claimed, write, simulation } = create()
  await claimed()
  server.answers.push(objectModified(kind, 'm'), object({ rv: 10, claimedBy: 'me' }))
  simulation.schedule(500, 'watch', () => writer.observe(view({ rv: 9, claimedBy: 'me' })))
  assert.equal(await write(), 'written')
  assert.deepEqual(
    server.asked.map((each) => JSON.parse(each).metadata.resourceVersion),
    ['8', '9'],
  )
})

test('writer: a watch that tells nothing is not waited for, and old news is none', async () => {
  const { server, writer, claimed, write } = create()
  await claimed()
  writer.observe(view({ rv: 3, claimedBy: 'other' }))
  assert.equal(writer.lost, undefined)
  server.answers.push(objectModified(kind, 'm'))
  await assert.rejects(write(), /the object has been modified/)
})

const losses: ReadonlyArray<[name: string, now: Sketch | undefined, want: string]> = [
  ['X2: it was deleted', undefined, 'gone'],
  ['it was deleted and made anew', { rv: 9, uid: 'w', claimedBy: 'me' }, 'gone'],
  ['another process has ended it', { rv: 9, claimedBy: 'me', ended: true }, 'ended'],
  [
    'it is about another resource now',
    { rv: 9, claimedBy: 'me', resource: 'others' },
    'about something else',
  ],
]
for (const [name, now, want] of losses) {
  test(`writer: ${name}: nothing is written any more`, async () => {
    const { server, writer, claimed, write } = create()
    await claimed()
    writer.observe(now && view(now))
    assert.deepEqual([await write(), writer.lost, server.asked], [want, want, []])
  })
}

test('writer: a server that says that there is no such object, and one that does not know', async () => {
  const { server, claimed, write } = create()
  await claimed()
  server.answers.push(new ApiError(404, '', 'no backend'))
  await assert.rejects(write(), /no backend/)
  server.answers.push(notFound(kind, 'm'))
  assert.equal(await write(), 'gone')
})

test('writer: a released migration has no claim, and one that was taken over is not released', async () => {
  const { server, writer, claimed } = create()
  await claimed()
  const free = object({ rv: 9 })
  free.metadata.annotations = { 'strata.dev/claimed-by': '' }
  server.answers.push(free)
  await writer.release(never)
  const { annotations, resourceVersion } = JSON.parse(server.asked[0] ?? '').metadata
  assert.deepEqual(annotations, { 'strata.dev/claimed-by': '', 'strata.dev/claim-renewed': null })
  assert.deepEqual([resourceVersion, writer.isOurs, writer.lost], ['8', false, undefined])
  writer.observe(view({ rv: 10, claimedBy: 'other' }))
  await writer.release(never)
  assert.equal(server.asked.length, 1)
})
