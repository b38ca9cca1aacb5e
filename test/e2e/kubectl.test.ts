import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodeTransport } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { kubectl, type Ran } from '../support/kubectl.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

const configMapsPath = '/api/v1/namespaces/default/configmaps'
const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

// Version 1.20 wants the OpenAPI document before it replaces, even a raw object, unless validation is off.
const replaceFlags = ['-f', '-', '--validate=false']

type Reached = LiveFleet & { readonly program: string }

interface Kind {
  readonly path: string
  readonly object: Record<string, unknown>
  /** The change, and how it becomes visible. */
  readonly changed: Record<string, unknown>
}

const kinds: Readonly<Record<string, Kind>> = {
  namespaces: {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'one' } },
    changed: { metadata: { name: 'one', labels: { team: 'light' } } },
  },
  configmaps: {
    path: configMapsPath,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '1' } },
    changed: { data: { a: '2' } },
  },
  leases: {
    path: leasesPath,
    object: {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' } },
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
    },
    changed: { spec: { holderIdentity: 'you', leaseDurationSeconds: 15 } },
  },
  beacons: {
    path: beaconPath('v1'),
    object: beacon('v1', 'one', 5),
    changed: { spec: { everySeconds: 7, colour: 'red' } },
  },
}

const { STRATA_KUBECTL = 'kubectl', STRATA_KUBECTL_OLD } = process.env
/** The oldest client we care for, where it could be had, says the same. */
const programs = [STRATA_KUBECTL, ...(STRATA_KUBECTL_OLD ? [STRATA_KUBECTL_OLD] : [])]

for (const program of programs)
  test(`kubectl: objects are created, read, replaced and deleted, and kubectl prints refusals as usual (${program})`, async (t) => {
    await withLiveFleet({ store: 'sqlite' }, async (live) => {
      const fleet = Object.assign(live, { program })
      await fleet.start('a', 'x+1')
      for (const [name, kind] of Object.entries(kinds)) {
        await t.test(`the life of one of the ${name}`, () => assertLife(fleet, kind))
      }
      await t.test('the server speaks about itself', async () => {
        assert.equal((await run(fleet, ['get', '--raw', '/readyz'])).stdout, 'ok')
        const version = JSON.parse((await run(fleet, ['get', '--raw', '/version'])).stdout)
        assert.match(version.gitVersion, /^v1\.\d+/)
      })
      await t.test('refusals', () => assertRefusals(fleet))
      await t.test('strangers are turned away', () => assertStrangers(fleet))
    })
  })

async function assertLife(fleet: Reached, { path, object, changed }: Kind): Promise<void> {
  const get = async () => JSON.parse(await good(fleet, ['get', '--raw', `${path}/one`]))
  const created = JSON.parse(await good(fleet, ['create', '--raw', path, '-f', '-'], object))
  assert.ok(created.metadata.uid)
  assert.deepEqual(await get(), created)
  const { items } = JSON.parse(await good(fleet, ['get', '--raw', path]))
  assert.ok(
    items.some(({ metadata }: { metadata: { uid: string } }) => metadata.uid === created.metadata.uid),
  )

  const next = { ...created, ...changed, metadata: { ...created.metadata, ...Object(changed['metadata']) } }
  await good(fleet, ['replace', '--raw', `${path}/one`, ...replaceFlags], next)
  const replaced = await get()
  assert.notEqual(replaced.metadata.resourceVersion, created.metadata.resourceVersion)
  const { metadata: _, ...fields } = changed
  for (const [field, value] of Object.entries(fields)) assert.deepEqual(replaced[field], value)
  assert.equal(replaced.metadata.uid, created.metadata.uid)

  // A client that has not seen the change may not undo it.
  const stale = await run(fleet, ['replace', '--raw', `${path}/one`, ...replaceFlags], {
    ...object,
    ...created,
  })
  assert.equal(stale.code, 1)
  assert.match(stale.stderr, /Error from server \(Conflict\): Operation cannot be fulfilled on .*"one"/)
  assert.match(stale.stderr, /please apply your changes to the latest version and try again/)
  await good(fleet, ['delete', '--raw', `${path}/one`])
  // A namespace stays until what is in it is gone.
  if (object['kind'] === 'Namespace') assert.equal((await get()).status.phase, 'Terminating')
  else assert.match((await run(fleet, ['get', '--raw', `${path}/one`])).stderr, /\(NotFound\)/)
}

async function assertRefusals(fleet: Reached): Promise<void> {
  const missing = await run(fleet, ['get', '--raw', beaconPath('v1', 'missing')])
  assert.equal(missing.code, 1)
  assert.match(
    missing.stderr,
    /Error from server \(NotFound\): beacons\.lighthouse\.example\.dev "missing" not found/,
  )

  const twice = beacon('v1', 'twice', 5)
  await good(fleet, ['create', '--raw', beaconPath('v1'), '-f', '-'], twice)
  const again = await run(fleet, ['create', '--raw', beaconPath('v1'), '-f', '-'], twice)
  assert.match(
    again.stderr,
    /Error from server \(AlreadyExists\): beacons\.lighthouse\.example\.dev "twice" already exists/,
  )

  const wrong = beacon('v1', 'wrong', 90_000)
  const invalid = await run(fleet, ['create', '--raw', beaconPath('v1'), '-f', '-'], wrong)
  assert.match(
    invalid.stderr,
    /The Beacon "wrong" is invalid: spec\.periodMs: Invalid value: 90000000: must be at most a day/,
  )

  const nowhere = await run(fleet, ['get', '--raw', '/apis/lighthouse.example.dev/v9/beacons'])
  assert.match(nowhere.stderr, /Error from server \(NotFound\)/)
  const elsewhere = `/apis/lighthouse.example.dev/v1/namespaces/nowhere/beacons`
  const homeless = await run(fleet, ['create', '--raw', elsewhere, '-f', '-'], beacon('v1', 'one', 5))
  assert.match(homeless.stderr, /Error from server \(NotFound\): namespaces "nowhere" not found/)

  // The shape that kubectl made its sentences of.
  const { status, body } = await ask(fleet.transport('a'), 'GET', beaconPath('v1', 'missing'))
  assert.deepEqual([status, body.kind, body.reason, body.code], [404, 'Status', 'NotFound', 404])
  assert.deepEqual(body.details, { name: 'missing', group: 'lighthouse.example.dev', kind: 'beacons' })
}

async function assertStrangers(fleet: Reached): Promise<void> {
  const { url, ca } = fleet.access('a')
  const refused = [
    [{}, 403, 'Forbidden'],
    [{ token: 'wrong' }, 401, 'Unauthorized'],
  ] as const
  for (const [credentials, code, reason] of refused) {
    const stranger = createNodeTransport({ server: url, ca, ...credentials })
    const { status, body } = await ask(stranger, 'GET', '/api/v1/namespaces')
    assert.deepEqual([status, body.kind, body.reason], [code, 'Status', reason])
    stranger.close()
  }
  const anonymous = createNodeTransport({ server: url, ca })
  // Health checks have no token.
  assert.equal((await ask(anonymous, 'GET', '/readyz')).status, 200)
  anonymous.close()
}

function run(fleet: Reached, args: readonly string[], input?: unknown): Promise<Ran> {
  const { program, kubeconfig, directory } = fleet
  return kubectl(args, { program, kubeconfig, home: directory, input })
}

async function good(fleet: Reached, args: readonly string[], input?: unknown): Promise<string> {
  const { code, stdout, stderr } = await run(fleet, args, input)
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`)
  return stdout
}
