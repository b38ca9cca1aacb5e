import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { storageVersionHash } from '@strata/api'
import { nodeClock } from '@strata/world/node'
import { type Certificates, createCertificates } from '../../../../../test/support/certificates.ts'
import {
  type Answers,
  discovery,
  FakeCluster,
  type FakeTls,
  ok,
  refusal,
} from '../../commands/fake-cluster-for-test.ts'

const name = 'lamps.light.example.dev'
const plain = discovery([
  { group: 'light.example.dev', version: 'v2', resources: [{ name: 'lamps', kind: 'Lamp' }] },
])

/** A cluster of several API servers; each stores lamps in a version of its own. */
describe('API servers are asked one by one', () => {
  const authorities: Certificates[] = []
  const tls: FakeTls[] = []
  before(async () => {
    for (let index = 0; index < 2; index++) {
      const each = await createCertificates(['kubernetes.default.svc'])
      authorities.push(each)
      const cert = await readFile(each.serverCertFile, 'utf8')
      tls.push({ cert, key: await readFile(each.serverKeyFile, 'utf8'), ca: each.ca })
    }
  })
  after(async () => {
    for (const each of authorities) await each.remove()
  })

  /** Answers as the server that stores lamps in `stores()`; `slices` are the addresses that the cluster names. */
  const server =
    (stores: () => string, slices: () => readonly string[] | undefined, asked: string[] = []): Answers =>
    (method, path, body) => {
      asked.push(path)
      if (path === '/version') return ok({ major: '1', minor: '36', gitVersion: 'v1.36.4' })
      if (path.endsWith('/selfsubjectaccessreviews')) return ok({ ...body, status: { allowed: true } })
      if (path.endsWith('/endpointslices')) {
        const urls = slices()
        if (urls === undefined) return refusal(403, 'no right')
        const items = urls.map((url) => ({
          endpoints: [{ addresses: [new URL(url).hostname] }],
          ports: [{ name: 'https', port: Number(new URL(url).port) }],
        }))
        return ok({ metadata: {}, items })
      }
      if (path.endsWith(`/customresourcedefinitions/${name}`)) {
        const versions = ['v1', 'v2'].map((each) => ({ name: each, served: true, storage: each === 'v2' }))
        const names = { plural: 'lamps', kind: 'Lamp' }
        const conditions = [{ type: 'Established', status: 'True' }]
        const metadata = { name, uid: 'u', generation: 2 }
        return ok({ metadata, spec: { group: 'light.example.dev', names, versions }, status: { conditions } })
      }
      if (path === '/apis/light.example.dev/v2') {
        const hash = storageVersionHash(`light.example.dev/${stores()}`, 'Lamp')
        const lamps = {
          name: 'lamps',
          kind: 'Lamp',
          namespaced: true,
          verbs: ['get', 'list', 'patch'],
          singularName: '',
        }
        const resources = [{ ...lamps, storageVersionHash: hash }]
        return ok({ kind: 'APIResourceList', groupVersion: 'light.example.dev/v2', resources })
      }
      if (path === '/api/v1/namespaces/kube-system') return ok({ metadata: { uid: 'k' } })
      if (path.endsWith('/lamps')) return ok({ metadata: {}, items: [] })
      return plain(method, path, body)
    }

  test('one that is behind is named, and nothing begins before it has caught up', async (t) => {
    let late = 'v1'
    const strangers: string[] = []
    const urls: string[] = []
    const second = await FakeCluster.start(
      t,
      server(
        () => late,
        () => undefined,
      ),
      tls[0],
    )
    const stranger = await FakeCluster.start(
      t,
      server(
        () => 'v1',
        () => undefined,
        strangers,
      ),
      tls[1],
    )
    const first = await FakeCluster.start(
      t,
      server(
        () => 'v2',
        () => urls,
      ),
      tls[0],
    )
    urls.push(first.url, second.url, stranger.url)
    // The handshakes take real time.
    const world = { clock: nodeClock }
    const args = [name, '--agreement-timeout', '1ms', '-v']
    const behind = await first.run(['plan', ...args], { world })
    assert.equal(behind.code, 4, behind.said)
    assert.match(
      behind.said,
      new RegExp(`the API server ${second.url} still stores v1: it does not know yet that the CRD stores v2`),
    )
    assert.match(behind.warned, new RegExp(`the API server ${stranger.url} cannot be asked: .*certificate`))
    late = 'v2'
    const agreed = await first.run(['plan', ...args], { world })
    assert.equal(agreed.code, 0, agreed.said)
    const verified = await first.run(['verify', name, '-o', 'json'], { world })
    const [{ established }] = JSON.parse(verified.said).resources
    assert.match(
      established,
      /^CRD, generation 2: its storage version is shown in discovery by 2 of 3 API servers in the EndpointSlice default\/kubernetes, asked one by one: 1 could not be asked/,
    )
    assert.deepEqual(strangers, [], 'no request, and so no token, goes to a server of another authority')
  })

  test('without the right to see endpoints, connections through one address count, and that is said', async (t) => {
    const cluster = await FakeCluster.start(
      t,
      server(
        () => 'v2',
        () => undefined,
      ),
      tls[0],
    )
    const verified = await cluster.run(['verify', name, '-o', 'json'], { world: { clock: nodeClock } })
    const [{ established }] = JSON.parse(verified.said).resources
    assert.match(established, /shown in discovery in 5 samples through one address/)
    const late = await FakeCluster.start(
      t,
      server(
        () => 'v1',
        () => undefined,
      ),
    )
    const { code, said } = await late.run(['plan', name, '--agreement-timeout', '1ms'])
    assert.equal(code, 4, said)
    assert.match(said, /the API server behind http:\S+ still stores v1/)
  })
})
