import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '@strata/server/store'
import { type HttpRequest, type Outbound, OutboundError, TransportError, utf8 } from '@strata/world'
import { lamps, mergePatch, type Through } from '../support/migration-fleet.ts'
import {
  conditionOf,
  holds,
  ownPath,
  RunnerFleet,
  type RunnerOptions,
  versionedPath,
} from '../support/runner-fleet.ts'

// Nothing keeps a migration Running for ever (Q3): what is wrong for good fails it, with its reason, in both groups, and
// whatever else can be migrated is.

const never = new AbortController().signal
const count = 20
const hour = 3_600_000
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const paths = { own: ownPath('stuck'), versioned: versionedPath('stuck') } as const
const kinds = ['own', 'versioned'] as const

async function failure(fleet: RunnerFleet, kind: (typeof kinds)[number], options: RunnerOptions = {}) {
  const runner = fleet.startRunner('runner', options)
  await (kind === 'own' ? fleet.migrateOwn('stuck') : fleet.migrateVersioned('stuck'))
  const migration = await fleet.ended(paths[kind], hour)
  await runner.stop()
  const { message } = conditionOf(migration, 'Failed') ?? {}
  return { message, status: migration.status }
}

const isList = ({ method, target }: HttpRequest): boolean =>
  method === 'GET' && /\/lamps\?.*limit=/.test(target)
const refusing =
  (isRefused: (request: HttpRequest) => boolean, code: number, message: string): Through =>
  async (request, send) => {
    if (!isRefused(request)) return send(request)
    const said = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: 'Unknown', message }
    return {
      status: code,
      headers: { 'content-type': 'application/json' },
      body: utf8.encode(JSON.stringify(said)),
    }
  }

/** As a server that is frozen when it has taken a request: no response, until the client gives up. */
const unanswered = ({ signal }: HttpRequest): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

for (const nextToData of [false, true]) {
  const how = nextToData ? 'next to the data' : 'through the API'
  test(`runner, ${how}: of every kind of request one is never answered, and the migration ends all the same`, async () => {
    const fleet = await RunnerFleet.switched(`frozen, ${how}`, count)
    const asked = new Set<string>()
    const runner = fleet.startRunner('runner', {
      migrationNextToData: nextToData,
      through: (request, send) => {
        const { method, target } = request
        const [path = '', query = ''] = target.split('?')
        const kind = `${method} ${path.replace(/lamp-\d+/, 'lamp')}`
        if (query.includes('watch=true') || asked.has(kind)) return send(request)
        asked.add(kind)
        return unanswered(request)
      },
    })
    await fleet.migrateVersioned('stuck')
    const migration = await fleet.ended(paths.versioned, 2 * hour)
    await runner.stop()
    assert.equal(conditionOf(migration, 'Succeeded')?.status, 'True', JSON.stringify(migration.status))
    assert.equal(fleet.stored()['light.example.dev/v2'], count)
    const isAsked = (part: string): boolean => [...asked].some((each) => each.includes(part))
    for (const part of ['GET /apis', 'GET /apis/strata.dev', 'PATCH /apis/migration.k8s.io', '/status'])
      assert.ok(isAsked(part), `${part} was not among ${[...asked].join(', ')}`)
  })
}

test('runner: an unreadable CRD keeps no migration from running', async () => {
  const fleet = await RunnerFleet.switched('unreadable definition', count)
  const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/bad.example.dev'
  const bad = { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v9', metadata: {} }
  const value = Buffer.from(JSON.stringify(bad))
  await createMemoryStore(fleet.data).commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)
  await fleet.pass(1_000)
  assert.equal((await fleet.ask('GET', definitionsPath)).status, 500)
  const runner = fleet.startRunner('runner', { migrationNextToData: true })
  await fleet.migrateVersioned('stuck')
  const migration = await fleet.ended(paths.versioned, hour)
  await runner.stop()
  assert.equal(conditionOf(migration, 'Succeeded')?.status, 'True')
  assert.equal(fleet.stored()['light.example.dev/v2'], count)
})

/** The outcome of every write to the status of a CRD. */
const ways: Readonly<Record<string, Through>> = {
  cut: () => Promise.reject(new TransportError('socket hang up', 'unknown')),
  'never answered': unanswered,
  'refused for now': refusing(() => true, 500, 'not now'),
}
const isTelling = ({ method, target }: HttpRequest): boolean =>
  method === 'PATCH' && /customresourcedefinitions\/.*\/status/.test(target)

for (const [how, way] of Object.entries(ways)) {
  test(`runner: the status of a CRD cannot be written, each attempt is ${how}: migrated all the same, and not pruned`, async () => {
    const fleet = await RunnerFleet.switched(`untold, ${how}`, count)
    const runner = fleet.startRunner('runner', {
      through: (request, send) => (isTelling(request) ? way(request, send) : send(request)),
    })
    await fleet.migrateVersioned('stuck')
    const migration = await fleet.ended(paths.versioned, hour)
    await runner.stop()
    const { status, message } = conditionOf(migration, 'Succeeded') ?? {}
    assert.equal(status, 'True', JSON.stringify(migration.status))
    assert.match(message, /the stored versions of the CRD have not been updated: /)
    assert.equal(fleet.stored()['light.example.dev/v2'], count)
    const { body } = await fleet.ask('GET', `${definitionsPath}/lamps.light.example.dev`)
    assert.deepEqual(body.status.storedVersions, ['v1', 'v2'])
  })

  test(`runner: a definition says that a migration runs, and to mend that is ${how}: others are migrated meanwhile`, async () => {
    const fleet = await RunnerFleet.switched(`unmended, ${how}`, count)
    const condition = {
      ...{ type: 'StorageMigrating', status: 'True', reason: 'MigrationRunning' },
      ...{ message: 'Migration gone is running', lastTransitionTime: '2026-01-01T00:00:00Z' },
    }
    const lampsDefinition = `${definitionsPath}/lamps.light.example.dev`
    const { body } = await fleet.ask('GET', lampsDefinition)
    const conditions = [...body.status.conditions, condition]
    await fleet.settle(
      fleet.send('PATCH', `${lampsDefinition}/status`, { status: { conditions } }, mergePatch),
    )
    const runner = fleet.startRunner('runner', {
      through: (request, send) => (isTelling(request) ? way(request, send) : send(request)),
    })
    await fleet.migrateVersioned('stuck', { resource: { group: '', resource: 'configmaps', version: 'v1' } })
    const migration = await fleet.ended(paths.versioned, hour)
    assert.equal(conditionOf(migration, 'Succeeded')?.status, 'True', JSON.stringify(migration.status))
    await runner.stop()
    // The next leader tries it again.
    const next = fleet.startRunner('next')
    await fleet.pass(60_000)
    await next.stop()
    const migrating = (await fleet.ask('GET', lampsDefinition)).body.status.conditions.find(
      ({ type }: { type: string }) => type === 'StorageMigrating',
    )
    assert.deepEqual([migrating.status, migrating.reason], ['False', 'MigrationFailed'])
  })
}

for (const kind of kinds) {
  test(`runner, ${kind}: one object cannot be decoded by anybody: all others are migrated, and it is named`, async () => {
    const fleet = await RunnerFleet.switched(`undecodable, ${kind}`, count)
    const key = `/registry/${lamps.group}/lamps/default/aaa-old`
    const metadata = { name: 'aaa-old', namespace: 'default' }
    const value = Buffer.from(JSON.stringify({ kind: 'Lamp', apiVersion: `${lamps.group}/v0`, metadata }))
    const store = createMemoryStore(fleet.data)
    await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)
    await fleet.pass(1_000)
    const { message, status } = await failure(fleet, kind, { migrationNextToData: true })
    assert.match(message, /^1\/21 not yet migrated. .* default\/aaa-old: Undecodable: /)
    assert.deepEqual([status.migrated, status.quarantined], [count, 1])
    assert.equal(fleet.stored()['light.example.dev/v2'], count)
  })

  test(`runner, ${kind}: the same through the API, where such a list is refused: Failed, and it is named`, async () => {
    const fleet = await RunnerFleet.switched(`undecodable list, ${kind}`, count)
    const text = '1 of 20 objects of lamps cannot be decoded: "default/aaa-old"'
    const { message } = await failure(fleet, kind, { through: refusing(isList, 500, text) })
    assert.match(message, /"default\/aaa-old"/)
  })

  test(`runner, ${kind}: a conversion webhook that is dead for good: Failed, with its words`, async () => {
    let isDead = false
    const outbound: Outbound = async ({ body }) => {
      if (isDead) throw new OutboundError('connection refused')
      const { request, ...review } = JSON.parse(utf8.decode(body))
      const apiVersion = request.desiredAPIVersion
      const convertedObjects = request.objects.map((each: object) => ({ ...each, apiVersion }))
      const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects }
      return { status: 200, headers: {}, body: utf8.encode(JSON.stringify({ ...review, response })) }
    }
    const fleet = new RunnerFleet(`dead conversion, ${kind}`, { outbound })
    const clientConfig = { url: 'https://hook.example.dev/convert' }
    const webhook = { conversionReviewVersions: ['v1'], clientConfig }
    await fleet.startServer('a')
    await fleet.fill(5, { spec: { conversion: { strategy: 'Webhook', webhook } } })
    await fleet.switchTo('v2')
    isDead = true
    const { message } = await failure(fleet, kind, { migrationLimits: { patienceMs: 60_000 } })
    assert.match(message, /connection refused/)
  })

  test(`runner, ${kind}: a runner that may not list: Failed, and the status says so`, async () => {
    const fleet = await RunnerFleet.switched(`no list, ${kind}`, count)
    const text = 'lamps.light.example.dev is forbidden: User "m" cannot list resource "lamps"'
    const { message } = await failure(fleet, kind, { through: refusing(isList, 403, text) })
    assert.match(message, /cannot list resource "lamps"$/)
  })

  test(`runner, ${kind}: what is agreed on can never be read: not Failed for a while, and not Running for ever`, async () => {
    const fleet = await RunnerFleet.switched(`no records, ${kind}`, count)
    const isRecord = ({ target }: HttpRequest): boolean => /storageagreements\//.test(target)
    const runner = fleet.startRunner('runner', { through: refusing(isRecord, 500, 'no such luck') })
    await (kind === 'own' ? fleet.migrateOwn('stuck') : fleet.migrateVersioned('stuck'))
    await fleet.pass(1_500_000)
    assert.ok(
      holds((await fleet.ask('GET', paths[kind])).body, 'Running'),
      'a server that is away costs nothing',
    )
    await fleet.pass(600_000)
    const { message } = conditionOf((await fleet.ask('GET', paths[kind])).body, 'Failed')
    assert.match(message, /^migration encountered unhandled error: no such luck$/)
    await runner.stop()
  })
}
