import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type Certificates, createCertificates } from '../../../../../test/support/certificates.ts'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { StoreUnavailable } from '../errors.ts'
import { readOne } from '../store.ts'
import { createEtcdStore, type EtcdStore } from './etcd-store.ts'
import type { EtcdTls } from './open-socket.ts'

let certificates: Certificates
let foreign: Certificates
let cluster: EtcdCluster
before(async () => {
  ;[certificates, foreign] = await Promise.all([createCertificates(), createCertificates()])
  cluster = await startEtcd({ certificates })
})
after(async () => {
  await Promise.all([certificates.remove(), foreign.remove()])
  await cluster.stop()
})

const open = (tls: EtcdTls): Promise<EtcdStore> =>
  createEtcdStore({
    endpoints: cluster.endpoints,
    tls,
    clock: nodeClock,
    random: createNodeRandom(),
    log: silentLog,
    retry: { firstMs: 1, maxMs: 1, attempts: 2 },
  })

test('etcd over TLS: a client with a certificate reads, writes and watches', async (t) => {
  const { ca, clientCert: cert, clientKey: key } = certificates
  const store = await open({ ca, cert, key })
  t.after(() => store.close())
  const over = new AbortController()
  const from = await store.currentRevision(over.signal)
  const value = new TextEncoder().encode('x')
  await store.commit({ writes: [{ kind: 'put', key: '/tls', value }], guards: [] }, over.signal)
  assert.deepEqual((await readOne(store, '/tls', over.signal))?.value, value)
  for await (const { changes } of store.watch('/tls', from, over.signal)) {
    assert.equal(changes.length, 1)
    break
  }
})

test("etcd over TLS: a server is trusted by its own certificate, as by etcd's own client", async (t) => {
  const { serverCertFile, clientCert: cert, clientKey: key } = certificates
  const store = await open({ ca: await readFile(serverCertFile), cert, key })
  t.after(() => store.close())
  assert.ok((await store.currentRevision(new AbortController().signal)) > 0)
})

const refusals: ReadonlyArray<[name: string, tls: () => EtcdTls, says: RegExp]> = [
  [
    'a server of an unknown authority is refused',
    () => ({ ca: foreign.ca, cert: certificates.clientCert, key: certificates.clientKey }),
    /cannot connect to etcd at https:.*certificate/,
  ],
  [
    'a client without a certificate is refused',
    () => ({ ca: certificates.ca }),
    /cannot connect to etcd at https:.*bad certificate/,
  ],
  [
    'a client of an unknown authority is refused',
    () => ({ ca: certificates.ca, cert: foreign.clientCert, key: foreign.clientKey }),
    /cannot connect to etcd at https:.*bad certificate/,
  ],
]
for (const [name, tls, says] of refusals) {
  test(`etcd over TLS: ${name}`, async () => {
    await assert.rejects(open(tls()), (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, says)
      return true
    })
  })
}
