import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type ClientTrust, RequestHeader, type StrataServer } from '@strata/server'
import { createFaultyStore, createMemoryStore, MemoryData, noFaults } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { TestAuthority } from '../support/authorities.ts'
import { call, createFleetServer } from '../support/fleet.ts'

const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
const never = new AbortController().signal
const names = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
}

let one: ClientTrust
let other: ClientTrust
before(async () => {
  // The simulated time has its own beginning.
  const create = async (name: string): Promise<string> =>
    `${(await TestAuthority.create(name, { from: -36_500, to: 36_500 })).cert}\n`
  const trust = async (name: string): Promise<ClientTrust> => ({
    clientCa: await create(`${name} clients`),
    requestHeader: { ca: await create(`${name} proxies`), allowedNames: [`${name}-front`], ...names },
  })
  one = await trust('one')
  other = await trust('other')
})

class Fleet {
  readonly simulation: Simulation
  readonly data = new MemoryData()

  constructor(seed: string) {
    this.simulation = new Simulation(seed)
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise)
  }

  sleep(ms: number): Promise<void> {
    return this.settle(new Promise((resolve) => this.simulation.clock.after(ms, resolve)))
  }

  async start(
    name: string,
    clientTrust: ClientTrust,
    form: 'report' | 'vote' = 'report',
  ): Promise<StrataServer> {
    const world = this.simulation.process(name, { host: name })
    const store = createFaultyStore(createMemoryStore(this.data), {
      network: this.simulation.clock,
      local: world.clock,
      random: this.simulation.fork(`store of ${name}`),
      faults: noFaults,
    })
    const server = createFleetServer({ world, store, instance: name, release: 'x+1', form, clientTrust })
    await this.settle(server.start(never))
    return server
  }

  async read(server: StrataServer) {
    const { status, body } = await this.settle(call(server.handle, 'GET', path))
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
}

const certificatesIn = (pem: string): number => pem.split('BEGIN CERTIFICATE').length - 1

for (const form of ['report', 'vote'] as const) {
  test(`client trust: written at the start, combined by all, and not again (${form})`, async () => {
    const fleet = new Fleet(`trust ${form}`)
    const a = await fleet.start('a', one, form)
    await fleet.sleep(1_000)
    const { data: first } = await fleet.read(a)
    assert.deepEqual(first, {
      'client-ca-file': one.clientCa,
      'requestheader-client-ca-file': one.requestHeader?.ca,
      'requestheader-allowed-names': '["one-front"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    })
    const b = await fleet.start('b', other, form)
    const c = await fleet.start('c', one, form)
    await fleet.sleep(1_000)
    const { data, metadata } = await fleet.read(b)
    assert.equal(certificatesIn(data['client-ca-file']), 2)
    assert.equal(data['requestheader-client-ca-file'], `${one.requestHeader?.ca}${other.requestHeader?.ca}`)
    assert.equal(data['requestheader-allowed-names'], '["one-front","other-front"]')
    // Two minutes: each server has looked twice, and found nothing to write.
    await fleet.sleep(120_000)
    assert.equal((await fleet.read(c)).metadata.resourceVersion, metadata.resourceVersion)
  })
}

test('client trust: it comes back when it is deleted or damaged', async () => {
  const fleet = new Fleet('trust damaged')
  const a = await fleet.start('a', one)
  const b = await fleet.start('b', other)
  await fleet.sleep(1_000)
  const before = await fleet.read(a)
  const sorted = (text: string): string[] => [...JSON.parse(text)].sort()
  const isWhole = async (): Promise<void> => {
    const { data } = await fleet.read(b)
    assert.equal(certificatesIn(data['client-ca-file']), 2)
    assert.deepEqual(sorted(data['requestheader-allowed-names']), ['one-front', 'other-front'])
  }
  assert.equal((await fleet.settle(call(a.handle, 'DELETE', path))).status, 200)
  await fleet.sleep(5_000)
  await isWhole()
  for (const data of [
    {},
    { ...before.data, 'requestheader-allowed-names': '{' },
    { 'client-ca-file': 'x' },
  ]) {
    const { metadata, ...rest } = await fleet.read(a)
    const put = await fleet.settle(call(a.handle, 'PUT', path, { ...rest, metadata, data }))
    assert.equal(put.status, 200, JSON.stringify(put.body))
    await fleet.sleep(5_000)
    await isWhole()
  }
})

test('client trust: a server without it keeps no ConfigMap, and believes no header', async () => {
  const fleet = new Fleet('no trust')
  const world = fleet.simulation.process('a')
  const store = createMemoryStore(fleet.data)
  const server = createFleetServer({ world, store, instance: 'a', requestHeader: new RequestHeader() })
  await fleet.settle(server.start(never))
  await fleet.sleep(2_000)
  assert.equal((await fleet.settle(call(server.handle, 'GET', path))).status, 404)
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' }
  const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const { body } = await fleet.settle(call(server.handle, 'POST', whoAmI, review, headers))
  assert.equal(body.status.userInfo.username, 'admin')
})
