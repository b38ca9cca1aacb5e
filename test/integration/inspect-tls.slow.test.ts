import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProgram } from '@strata/cli'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { type EtcdCluster, startEtcd } from '../support/etcd.ts'

let certificates: Certificates
let etcd: EtcdCluster
before(async () => {
  certificates = await createCertificates()
  etcd = await startEtcd({ certificates })
  for (const version of ['v1', 'v2']) {
    const value = { apiVersion: `light.example.dev/${version}`, kind: 'Lamp', metadata: { name: version } }
    const key = `/registry/light.example.dev/lamps/default/${version}`
    await etcd.nodes[0]?.ask('/v3/kv/put', { key: base(key), value: base(JSON.stringify(value)) })
  }
})
after(async () => {
  await etcd?.stop()
  await certificates?.remove()
})

const base = (text: string): string => Buffer.from(text).toString('base64')

async function inspect(...flags: readonly string[]) {
  const said: string[] = []
  const warned: string[] = []
  const code = await createProgram({
    ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
    ...{ environment: {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
    ...{ print: (text) => said.push(text), warn: (text) => warned.push(text) },
  })
    .run(['inspect', '--offline', '--etcd-servers', etcd.endpoints.join(','), '-o', 'json', ...flags])
    .catch((error: { exitCode?: number; message: string }) => {
      warned.push(error.message)
      return error.exitCode
    })
  return { code, said: said.join('\n'), warned: warned.join('\n') }
}

const names = [
  ['--cacert', '--cert', '--key'],
  ['--etcd-cafile', '--etcd-certfile', '--etcd-keyfile'],
] as const
for (const [ca, cert, key] of names) {
  test(`inspect of an etcd over TLS: ${ca}, ${cert}, ${key}`, async () => {
    const { caFile, clientCertFile, clientKeyFile } = certificates
    const { said, warned } = await inspect(ca, caFile, cert, clientCertFile, key, clientKeyFile)
    assert.notEqual(said, '', warned)
    const [{ resource, stored }] = JSON.parse(said).resources
    assert.deepEqual([resource, stored.by, stored.isExact], ['lamps.light.example.dev', 'etcd', true])
    assert.deepEqual(stored.versions, [
      { version: 'v1', count: 1, objects: ['default/v1'] },
      { version: 'v2', count: 1, objects: ['default/v2'] },
    ])
  })
}

test('inspect of an etcd over TLS: without a certificate it says which endpoint refuses it', async () => {
  const { code, said, warned } = await inspect('--cacert', certificates.caFile)
  assert.deepEqual([code, said], [5, ''])
  assert.match(
    warned,
    /^--etcd-servers: no endpoint of etcd could answer: .*https:\/\/127\.0\.0\.1:\d+: .*certificate/,
  )
})
