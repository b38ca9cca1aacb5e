import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationResult, ProgressReport } from '@strata/controllers'
import { type Outbound, OutboundError, TransportError, utf8 } from '@strata/world'
import { isFullSize } from '../support/full-size.ts'
import {
  lampName,
  lamps,
  lampsPath,
  MigrationFleet,
  mergePatch,
  type Through,
} from '../support/migration-fleet.ts'

const count = isFullSize ? 2_000 : 200
const inV2 = (objects: number) => ({ 'light.example.dev/v2': objects })
const pageSize = count / 4

/** Lamps stored in v1, and a fleet that has agreed on v2. */
async function switched(seed: string, more: ConstructorParameters<typeof MigrationFleet>[1] = {}) {
  const fleet = new MigrationFleet(seed, more)
  await fleet.startSwitched(count)
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  return fleet
}

function summary({ outcome, proof, progress: { migrated, alreadyCurrent, quarantined } }: MigrationResult) {
  return { outcome, proof, migrated, alreadyCurrent, quarantined }
}

const proven = { outcome: 'succeeded', proof: 'proven', migrated: count, alreadyCurrent: 0, quarantined: 0 }

test('migrator: every custom resource is brought to the new storage version, proven; a second run writes nothing', async () => {
  const fleet = await switched('all of them')
  const before = (await fleet.ask('GET', lampsPath(lampName(7)))).body
  const migrator = fleet.migrator(lamps)
  const result = await fleet.settle(migrator.start({ limits: { pageSize } }))
  assert.deepEqual(summary(result), proven)
  assert.deepEqual(fleet.stored(), inV2(count))
  assert.deepEqual(result.resume.target, {
    resource: lamps,
    how: 'record',
    fenced: true,
    encodingVersion: 'light.example.dev/v2',
    recordUID: result.resume.target.recordUID,
    epoch: result.resume.target.epoch,
    epochResourceVersion: result.resume.target.epochResourceVersion,
    definition: { uid: result.resume.target.definition?.uid, generation: 2, storageVersion: 'v2' },
  })
  // Nothing but the encoding has changed.
  const after = (await fleet.ask('GET', lampsPath(lampName(7)))).body
  assert.notEqual(after.metadata.resourceVersion, before.metadata.resourceVersion)
  const { resourceVersion: _, ...metadata } = before.metadata
  assert.deepEqual(after, {
    ...before,
    metadata: { ...metadata, resourceVersion: after.metadata.resourceVersion },
  })
  const again = fleet.migrator(lamps)
  const second = await fleet.settle(again.start())
  assert.deepEqual(summary(second), { ...proven, migrated: 0, alreadyCurrent: count })
  // Objects written under this epoch are current: no request is needed.
  assert.deepEqual(again.writes, [])
})

test('migrator: a webhook that denies one object, and one that is down for another: all others are rewritten', async () => {
  const outbound: Outbound = async ({ body }) => {
    const { request, ...review } = JSON.parse(utf8.decode(body))
    if (request.name === lampName(3)) throw new OutboundError('connection refused')
    const allowed = request.name !== lampName(2)
    const response = { uid: request.uid, allowed, status: { message: 'not this one' } }
    return { status: 200, headers: {}, body: utf8.encode(JSON.stringify({ ...review, response })) }
  }
  const fleet = await switched('denied', { outbound })
  const hook = {
    name: 'guard.example.dev',
    clientConfig: { url: 'https://hook.example.dev/guard' },
    rules: [{ apiGroups: [lamps.group], apiVersions: ['*'], operations: ['UPDATE'], resources: ['lamps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const kind = 'ValidatingWebhookConfiguration'
  const made = await fleet.ask('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`, {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'guard' }, webhooks: [hook] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 3_000 })
  const result = await fleet.settle(fleet.migrator(lamps).start())
  assert.deepEqual([result.outcome, result.proof], ['incomplete', 'unknown'])
  const named = result.quarantine.objects.map(({ namespace, name, reason }) => [namespace, name, reason])
  assert.deepEqual(named.sort(), [
    ['default', lampName(2), 'Denied'],
    ['default', lampName(3), 'WebhookUnavailable'],
  ])
  assert.match(
    result.quarantine.objects[0]?.message ?? '',
    /"guard.example.dev" denied the request: not this one/,
  )
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': 2, ...inV2(count - 2) })
})

test('migrator: objects that the schema of today would not let in are rewritten: what does not change is tolerated', async () => {
  const fleet = await switched('tightened')
  const strict = { type: 'integer', maximum: count - 3 }
  const spec = { type: 'object', properties: { watts: strict } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2', schema }))
  await fleet.change({ spec: { versions } })
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 5_000 })
  const result = await fleet.settle(fleet.migrator(lamps).start())
  assert.deepEqual([result.outcome, result.proof, result.quarantine.total], ['succeeded', 'proven', 0])
  assert.deepEqual(fleet.stored(), inV2(count))
})

test('migrator: 429 every so often, connections cut before and after the server acted: all are rewritten', async () => {
  const fleet = await switched('storm')
  let asked = 0
  const through: Through = async (request, send) => {
    asked++
    if (asked % 5 === 0) {
      const headers = { 'retry-after': '1' }
      return { status: 429, headers, body: utf8.encode('too many requests') }
    }
    if (asked % 11 === 0) throw new TransportError('connection reset', 'no')
    const answer = await send(request)
    if (asked % 13 === 0) throw new TransportError('connection reset', 'unknown')
    return answer
  }
  const result = await fleet.settle(fleet.migrator(lamps, through).start({ limits: { pageSize } }))
  assert.deepEqual([result.outcome, result.proof, result.quarantine.total], ['succeeded', 'proven', 0])
  assert.deepEqual(fleet.stored(), inV2(count))
})

test('migrator: history is compacted in the middle of the listing: the rest is taken as it is now', async () => {
  const fleet = await switched('compacted')
  let lists = 0
  let expired = 0
  const through: Through = async (request, send) => {
    if (request.target.includes('lamps?limit') && ++lists === 3) {
      // Something in the rest has changed, so that the old state of it is nowhere else.
      await fleet.send('PATCH', lampsPath(lampName(count - 1)), { spec: { watts: 1 } }, mergePatch)
      fleet.data.compact(fleet.data.revision)
    }
    const answer = await send(request)
    if (answer.status === 410) expired++
    return answer
  }
  const result = await fleet.settle(fleet.migrator(lamps, through).start({ limits: { pageSize } }))
  const overtaken = { ...proven, migrated: count - 1, alreadyCurrent: 1 }
  assert.deepEqual([summary(result), expired > 0], [overtaken, true])
  assert.deepEqual(fleet.stored(), inV2(count))
})

test('migrator: objects are deleted, made and changed meanwhile', async () => {
  const fleet = await switched('busy')
  let writes = 0
  const through: Through = (request, send) => {
    if (request.method === 'PATCH') {
      writes++
      const path = lampsPath(lampName(count - writes))
      if (writes < 10) void fleet.send('DELETE', path)
      else if (writes < 20) void fleet.send('PATCH', path, { spec: { watts: 9_999 } }, mergePatch)
      else if (writes < 30) {
        const metadata = { name: `new-${writes}` }
        void fleet.send('POST', lampsPath(), { apiVersion: `${lamps.group}/v1`, kind: 'Lamp', metadata })
      }
    }
    return send(request)
  }
  const result = await fleet.settle(fleet.migrator(lamps, through).start({ limits: { pageSize } }))
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'])
  assert.deepEqual(fleet.stored(), inV2(count - 9 + 10))
  const { migrated, alreadyCurrent, overtaken, gone } = result.progress
  assert.ok(gone <= 9 && overtaken + alreadyCurrent <= 20, JSON.stringify(result.progress))
  assert.ok(migrated >= count - 9 - 10)
})

test('migrator: two at once: each object is rewritten once, and both may say that it is proven', async () => {
  const fleet = await switched('two at once')
  const one = fleet.migrator(lamps).start({ limits: { pageSize } })
  const other = fleet.migrator(lamps).start({ limits: { pageSize } })
  const results = await fleet.settle(Promise.all([one, other]))
  assert.deepEqual(
    results.map(({ outcome, proof }) => [outcome, proof]),
    [
      ['succeeded', 'proven'],
      ['succeeded', 'proven'],
    ],
  )
  assert.equal(
    results.reduce((sum, { progress }) => sum + progress.migrated, 0),
    count,
  )
  assert.deepEqual(fleet.stored(), inV2(count))
})

/** Does something once, when this many writes have been sent. */
function after(writes: number, act: () => Promise<unknown>): Through {
  let sent = 0
  return async (request, send) => {
    if (request.method === 'PATCH' && ++sent === writes) await act()
    return send(request)
  }
}

const changes: readonly (readonly [name: string, patch: (fleet: MigrationFleet) => object])[] = [
  ['is switched back', (fleet) => fleet.storedIn('v1')],
  ['gets another name', () => ({ spec: { names: { shortNames: ['l'] } } })],
]
for (const [name, patch] of changes) {
  for (const at of [count / 2, count]) {
    test(`migrator: the definition ${name} after ${at} of ${count}: aborted, no success`, async () => {
      const fleet = await switched(`the definition ${name} after ${at}`)
      const through = after(at, () => fleet.change(patch(fleet)))
      const result = await fleet.settle(fleet.migrator(lamps, through).start({ limits: { pageSize } }))
      assert.deepEqual([result.outcome, result.proof], ['aborted', 'unknown'])
      assert.match(result.because, /^the target moved: /)
    })
  }
}

test('migrator: the definition is deleted during the run: no success', async () => {
  const fleet = await switched('deleted')
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lamps.${lamps.group}`
  const through = after(count / 2, () => fleet.send('DELETE', path))
  const result = await fleet.settle(fleet.migrator(lamps, through).start({ limits: { pageSize } }))
  assert.deepEqual([result.outcome, result.proof], ['aborted', 'unknown'])
})

/** Beacons stored in v1 by an old release, and a fleet of a newer one that stores v2. */
async function upgraded(seed: string) {
  const fleet = new MigrationFleet(seed)
  await fleet.startUpgraded(count)
  return fleet
}
const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' }
const beaconPrefix = '/registry/lighthouse.example.dev/'

test('migrator: a server of an older release joins during the run: aborted, no success', async () => {
  const fleet = await upgraded('another release joins')
  const through = after(count / 2, () => fleet.addServer('d', 'x+1'))
  const result = await fleet.settle(fleet.migrator(beacons, through).start({ limits: { pageSize } }))
  assert.deepEqual([result.outcome, result.proof], ['aborted', 'unknown'])
  // And while they disagree there is nothing to begin.
  const decision = await fleet.settle(fleet.migrator(beacons).observe())
  assert.equal(decision.agreed, false)
})

test('migrator: rule 10: a server that is started again during the run ends nothing', async () => {
  const fleet = await upgraded('the same comes back')
  const through = after(count / 2, async () => {
    await fleet.stopServer('c')
    await fleet.addServer('c')
  })
  const result = await fleet.settle(fleet.migrator(beacons, through).start({ limits: { pageSize } }))
  assert.deepEqual(summary(result), proven)
  assert.deepEqual(fleet.stored(beaconPrefix), { 'lighthouse.example.dev/v2': count })
})

test('migrator: killed in the middle, twice: another goes on where the last report was', async () => {
  const fleet = await switched('kill -9')
  let resume: ProgressReport['resume'] | undefined
  let rewritten = 0
  for (const at of [count / 3, count / 3]) {
    const killed = Promise.withResolvers<void>()
    const through = after(Math.floor(at), async () => {
      migrator.process.crash()
      killed.resolve()
    })
    const migrator = fleet.migrator(lamps, through)
    const onProgress = (report: ProgressReport): void => {
      resume = report.resume
    }
    const limits = { pageSize: pageSize / 2, progressEveryMs: 1, maxParallelism: 2 }
    void migrator.start({ resume, onProgress, limits })
    await fleet.settle(killed.promise)
    await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 5_000 })
    rewritten = fleet.stored()['light.example.dev/v2'] ?? 0
    assert.ok(rewritten < count, String(rewritten))
  }
  assert.ok(resume?.ledger.continueToken)
  const last = fleet.migrator(lamps)
  const result = await fleet.settle(last.start({ resume, limits: { pageSize: pageSize / 2 } }))
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'])
  assert.deepEqual(fleet.stored(), inV2(count))
  // Not from the start again: only the pages that were not settled.
  const { migrated, alreadyCurrent, overtaken } = resume.ledger.tally
  assert.equal(last.writes.length, count - migrated - alreadyCurrent - overtaken)
  assert.ok(last.writes.length < count)
})

test('migrator: a rehearsal stores nothing', async () => {
  const fleet = await switched('rehearsal')
  const revision = fleet.data.revision
  const result = await fleet.settle(fleet.migrator(lamps).start({ dryRun: true }))
  assert.equal(result.outcome, 'rehearsed')
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  assert.ok(fleet.data.revision <= revision + 10, 'leases are renewed, and nothing else')
})
