import assert from 'node:assert/strict'
import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AgreementStatus } from '@strata/api'
import {
  builtInResources,
  Encryption,
  type EncryptionConfiguration,
  frozenAmong,
  parseConfiguration,
  type StrataServer,
} from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { type Answer, call, createFleetServer } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const never = new AbortController().signal
const program = join(import.meta.dirname, '../support/kms-plugin.ts')
const record = '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps'
const isPlain = frozenAmong(builtInResources)

describe('KMS: a real plugin on its socket', () => {
  const data = new MemoryData()
  const processes: StrataProcess[] = []
  const servers: StrataServer[] = []
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-kms-'))
  })
  after(async () => {
    await Promise.all(servers.map((each) => each.stop(1_000)))
    await Promise.all(processes.map((each) => each.kill()))
    await rm(home, { recursive: true, force: true })
  })

  const setKeys = (name: string, current: string, ...known: string[]): Promise<void> =>
    writeFile(join(home, `${name}.json`), JSON.stringify({ current, known: [current, ...known] }))

  async function startPlugin(name: string): Promise<StrataProcess> {
    const socket = join(home, `${name}.sock`)
    await rm(socket, { force: true })
    const plugin = new StrataProcess(`plugin of ${name}`, [socket, join(home, `${name}.json`)], program)
    processes.push(plugin)
    await until('the plugin listens', () => plugin.stdout.includes('listening'))
    return plugin
  }

  /** The configuration of the servers: the plugins on those sockets. The first one encrypts. */
  function configurationOf(plugins: Record<string, string>): EncryptionConfiguration {
    const providers = Object.entries(plugins).map(([name, socket]) => ({
      kms: { apiVersion: 'v2', name, endpoint: `unix://${join(home, `${socket}.sock`)}` },
    }))
    const parsed = parseConfiguration(
      {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources: ['configmaps'], providers: [...providers, { identity: {} }] }],
      },
      isPlain,
    )
    assert.ok('configuration' in parsed, JSON.stringify(parsed))
    return parsed.configuration
  }

  /** Each server has a plugin of its own, as each machine has. */
  async function createServer(name: string): Promise<StrataServer> {
    const world = createNodeWorld({ log: silentLog })
    const configuration = configurationOf({ vault: name })
    const encryption = await Encryption.create(configuration, { world, isPlain }, never)
    const server = createFleetServer({
      world,
      store: createMemoryStore(data),
      instance: name,
      release: 'x+1',
      encryption,
      featureGates: { AllowUnsafeMalformedObjectDeletion: true },
    })
    servers.push(server)
    return server
  }

  const ask = (server: StrataServer, method: string, target: string, body?: unknown): Promise<Answer> =>
    call(server.handle, method, target, body)
  const statusOf = async (server: StrataServer): Promise<AgreementStatus> =>
    (await ask(server, 'GET', record)).body.status
  const stored = async (name: string): Promise<Buffer> => {
    const [entry] = (await createMemoryStore(data).read([`/registry/configmaps/default/${name}`], never))
      .entries
    return Buffer.from(entry?.value ?? [])
  }

  test('what it seals is opened by hand, as kube-apiserver would', async () => {
    await setKeys('a', 'key-1')
    await startPlugin('a')
    const a = await createServer('a')
    await a.start(never)
    assert.equal((await ask(a, 'POST', maps, configMap('x', { password: 'hunter2' }))).status, 201)
    const value = await stored('x')
    assert.equal(value.subarray(0, 21).toString(), 'k8s:enc:kms:v2:vault:')
    const fields = fieldsOf(value.subarray(21))
    assert.deepEqual([fields.get(2)?.toString(), fields.get(5)?.length], ['key-1', 0])
    const wrapped = fields.get(3) ?? Buffer.alloc(0)
    const seed = unseal(
      createHash('sha256').update('local key key-1').digest(),
      wrapped.subarray(0, 12),
      wrapped.subarray(28),
      wrapped.subarray(12, 28),
    )
    const encrypted = fields.get(1) ?? Buffer.alloc(0)
    const derived = createHmac('sha256', seed)
      .update(encrypted.subarray(0, 32))
      .update(Buffer.from([1]))
      .digest()
    const body = encrypted.subarray(32)
    const plain = unseal(
      derived,
      body.subarray(0, 12),
      body.subarray(12, -16),
      body.subarray(-16),
      '/registry/configmaps/default/x',
    )
    assert.match(plain.toString(), /"password":"hunter2"/)
    assert.equal((await ask(a, 'GET', '/readyz/kms-providers')).status, 200)
  })

  test('a server whose plugin is not there is not ready and writes nothing, until it is', async () => {
    const [a] = servers
    assert.ok(a)
    await setKeys('b', 'key-1')
    const b = await createServer('b')
    const ready = b.start(never)
    const refused = await until('b is registered', async () => {
      const entry = (await statusOf(a)).servers.find(({ refusesWrites }) => refusesWrites)
      return entry?.keyProblem
    })
    assert.match(refused, /has not answered yet/)
    assert.equal(b.ready, false)
    assert.equal((await ask(b, 'GET', `${maps}/x`)).status, 500)
    assert.equal((await ask(b, 'GET', '/readyz/kms-providers')).status, 500)
    assert.equal((await ask(a, 'POST', maps, configMap('y'))).status, 201, 'the other one goes on')
    await startPlugin('b')
    await ready
    assert.equal((await ask(b, 'GET', `${maps}/x`)).body.data.password, 'hunter2')
    assert.equal((await ask(b, 'PATCH', `${maps}/y`, { data: { by: 'b' } })).status, 415)
  })

  test('a key_id that changes on one plugin is written with when the others know it too', async () => {
    const [a, b] = servers
    assert.ok(a && b)
    const writeKeys = async (): Promise<readonly string[]> =>
      (await statusOf(a)).servers.map(({ writeKey }) => writeKey)
    const [before] = await writeKeys()
    await setKeys('a', 'key-2', 'key-1')
    // A third one comes, whose plugin has the new key: the record names it, and the others ask theirs.
    await setKeys('c', 'key-2', 'key-1')
    await startPlugin('c')
    const c = await createServer('c')
    const ready = c.start(never)
    await until('a has asked its plugin', async () => {
      const entries = (await statusOf(a)).servers
      return entries.filter(({ readableKeys }) => readableKeys.length > 3).length >= 1
    })
    assert.equal((await ask(a, 'POST', maps, configMap('z'))).status, 201)
    assert.equal(
      fieldsOf((await stored('z')).subarray(21))
        .get(2)
        ?.toString(),
      'key-1',
      'b does not know key-2',
    )
    await setKeys('b', 'key-2', 'key-1')
    // It checks again when a record changes that names an unknown key.
    await ready
    await until(
      'all write with the new key',
      async () => {
        const keys = new Set(await writeKeys())
        return keys.size === 1 && !keys.has(before ?? '')
      },
      { giveUpMs: 90_000 },
    )
    for (const server of [a, b, c]) assert.equal((await ask(server, 'GET', maps)).status, 200)
  })

  test('a plugin that is killed stops neither writes nor what was read; what came meanwhile is read when it is back, also behind what it can never open', async () => {
    const [a, , c] = servers
    assert.ok(a && c)
    const get = async (server: StrataServer, name: string): Promise<number> =>
      (await ask(server, 'GET', `${maps}/${name}`)).status
    await processes.at(-1)?.kill()
    for (let index = 0; index < 20; index++) {
      assert.equal((await ask(c, 'POST', maps, configMap(`during-${index}`))).status, 201)
    }
    await setKeys('d', 'key-2', 'key-1')
    await startPlugin('d')
    const d = await createServer('d')
    await d.start(never)

    // Encrypted with a key that no plugin has any more, and sorted before the other one.
    const key = '/registry/configmaps/default/lost'
    const raw = createMemoryStore(data)
    const lost = Buffer.from((await stored('z')).toString('latin1').replace('key-1', 'key-9'), 'latin1')
    await raw.commit({ writes: [{ kind: 'put', key, value: lost }], guards: [] }, never)
    assert.equal((await ask(d, 'POST', maps, configMap('late'))).status, 201)
    assert.equal(await get(a, 'late'), 200)
    assert.deepEqual([await get(c, 'lost'), await get(c, 'late'), await get(c, 'x')], [500, 500, 200])
    const ignoring = { ignoreStoreReadErrorWithClusterBreakingPotential: true }
    const kept = await ask(c, 'DELETE', `${maps}/late`, ignoring)
    assert.deepEqual([kept.status, await get(a, 'late')], [503, 200], 'another server reads it')
    assert.match(kept.body.message, /cannot be decrypted for now, and was not deleted: .*KMS provider vault/)
    assert.equal((await ask(c, 'POST', maps, configMap('during-20'))).status, 201)

    await startPlugin('c')
    await until('c reads what came meanwhile', async () => (await get(c, 'late')) === 200)
    assert.equal(await get(c, 'lost'), 500)
    assert.match((await ask(c, 'GET', `${maps}/lost`)).body.message, /there is no key key-9/)
    for (let index = 0; index <= 20; index++) assert.equal(await get(d, `during-${index}`), 200)
    await raw.commit({ writes: [{ kind: 'delete', key }], guards: [] }, never)
    for (const server of [a, c, d]) {
      await until('nothing is sealed any more', async () => (await ask(server, 'GET', maps)).status === 200)
    }
  })

  test('a file that names a plugin which is not up is taken over when it is', async () => {
    const [a] = servers
    assert.ok(a)
    const next = configurationOf({ vault: 'a', second: 'second' })
    assert.match((await a.reloadEncryption(next, never)) ?? 'taken over', /KMS provider second: .*ENOENT/)
    await setKeys('second', 'key-1')
    await startPlugin('second')
    await until('it is taken over', async () => (await a.reloadEncryption(next, never)) === undefined)
    assert.equal((await ask(a, 'GET', '/readyz/kms-providers')).status, 200)
    assert.equal((await ask(a, 'GET', maps)).status, 200)
  })
})

function unseal(key: Buffer, nonce: Buffer, body: Buffer, tag: Buffer, aad?: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  if (aad !== undefined) decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(body), decipher.final()])
}

/** Protobuf by hand: of a varint nothing is kept but that it is there. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at < message.length; ) {
    const tag = message[at++] ?? 0
    let size = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      size += (byte & 127) << shift
      if (byte < 128) break
    }
    if ((tag & 7) === 0) size = 0
    fields.set(tag >> 3, message.subarray(at, at + size))
    at += size
  }
  return fields
}
