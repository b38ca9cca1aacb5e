import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ensureCredentials } from '@strata/server/main'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { silentLog, type Transport } from '@strata/world'
import { createNodeRemote, createNodeWorld } from '@strata/world/node'
import { startEmbedded } from '../../examples/aggregated-server/embedded.ts'
import { TestAuthority } from '../support/authorities.ts'
import { adminToken, beacon, beaconPath, call, createFleetServer } from '../support/fleet.ts'
import { until } from '../support/until.ts'

const world = createNodeWorld({ log: silentLog })
const never = new AbortController().signal
const store = () => createMemoryStore(new MemoryData())

/** The example of docs/aggregated-server.md, behind an aggregator that reaches it over TLS. */
describe('embedded aggregated server', () => {
  let directory: string
  let stops: (() => Promise<unknown>)[] = []
  let toAggregator: Transport
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'strata-embedded-'))
    const { tls, caFile } = await ensureCredentials(directory, world, ['api.shop.svc'])
    const proxies = await TestAuthority.create('proxies')
    const remote = createNodeRemote(await proxies.issue('front'))
    let port = 0
    const front = createFleetServer({
      ...{ world, store: store(), instance: 'front', hasLighthouse: false, apiServices: true },
      aggregation: { remote: remote.send, resolveService: () => `https://127.0.0.1:${port}` },
      clientTrust: {
        requestHeader: {
          ...{
            ca: proxies.cert,
            allowedNames: ['front'],
            usernameHeaders: ['X-Remote-User'],
            uidHeaders: [],
          },
          ...{ groupHeaders: ['X-Remote-Group'], extraHeaderPrefixes: ['X-Remote-Extra-'] },
        },
      },
    })
    await front.start(never)
    toAggregator = (request) =>
      front.handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${adminToken}` } })
    const embedded = await startEmbedded({
      ...{ world, store: store(), aggregator: toAggregator, tls, port: 0, signal: never },
    })
    port = embedded.port
    stops = [
      async () => embedded.stop(AbortSignal.abort()),
      () => front.stop(1_000),
      async () => remote.close(),
    ]
    await until('it knows the CA of the aggregator', embedded.isReady)
    const caBundle = (await readFile(caFile)).toString('base64')
    const { status } = await call(front.handle, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: 'v1.lighthouse.example.dev' },
      spec: {
        ...{
          group: 'lighthouse.example.dev',
          version: 'v1',
          groupPriorityMinimum: 1_000,
          versionPriority: 10,
        },
        ...{ service: { namespace: 'shop', name: 'api' }, caBundle },
      },
    })
    assert.equal(status, 201)
  })
  after(async () => {
    for (const stop of stops) await stop()
    await rm(directory, { recursive: true, force: true })
  })

  test('requests pass the aggregator, and come with their user', async () => {
    const created = await until('the APIService is available', async () => {
      const answer = await call(toAggregator, 'POST', beaconPath('v1'), beacon('v1', 'north', 5))
      return answer.status === 503 ? undefined : answer
    })
    assert.deepEqual([created.status, created.body.metadata?.name], [201, 'north'])
  })
})
