import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { createSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const giveUpMs = 10_000

/** Creates ConfigMaps until `enough` answers of that kind have come. What was acknowledged is remembered. */
class Writer {
  readonly acknowledged: string[] = []
  readonly refusals: string[] = []
  /** Those of them of which it was said that nothing was written. */
  readonly notWritten: string[] = []
  readonly #fleet: LiveFleet
  #next = 0

  constructor(fleet: LiveFleet) {
    this.#fleet = fleet
  }

  async write(): Promise<void> {
    const name = `full-${this.#next++}`
    const data = { fill: 'x'.repeat(50_000) }
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
    const { status, body } = await ask(this.#fleet.transport('a'), 'POST', maps, object, { giveUpMs })
    if (status === 201) this.acknowledged.push(name)
    else this.refusals.push(`${status} ${body.message}`)
    if (status === 503) this.notWritten.push(name)
  }

  /** A claim that nothing was written has to be true, and what was acknowledged is there. */
  async check(): Promise<void> {
    const { body } = await ask(this.#fleet.transport('a'), 'GET', maps)
    const stored = new Set(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name))
    for (const name of this.acknowledged) assert.ok(stored.has(name), `${name} was acknowledged and is lost`)
    for (const name of this.notWritten)
      assert.ok(!stored.has(name), `${name} is stored, though the answer was 503: nothing was written`)
  }
}

async function seeFullStore(fleet: LiveFleet, writer: Writer, says: RegExp): Promise<void> {
  const get = (path: string) => ask(fleet.transport('a'), 'GET', path)
  while (writer.refusals.length < 3) await writer.write()
  const check = await get('/readyz/store-writes')
  assert.equal(check.status, 500)
  assert.match(String(check.body), says)
  const ready = await get('/readyz?verbose')
  assert.equal(ready.status, 200, 'reads are served, and no other server could write either')
  assert.match(String(ready.body), /\[-\]store-writes failed \(not counted\): reason withheld\n/)
  const metrics = String((await get('/metrics')).body)
  assert.match(metrics, /strata_store_writes_blocked\{fault="[a-z-]+"\} 1\n/)
  assert.match(metrics, /strata_store_write_failures_total\{fault="[a-z-]+"\} \d+\n/)
  assert.match(fleet.server('a').output, /the store cannot be written/)
  await writer.check()
}

async function seeRecovery(fleet: LiveFleet, writer: Writer): Promise<void> {
  const get = (path: string) => ask(fleet.transport('a'), 'GET', path)
  // No client has to write: the server renews its Lease.
  await until('the store is written again', async () => (await get('/readyz/store-writes')).status === 200)
  const before = writer.acknowledged.length
  await until('a ConfigMap is created again', async () => {
    await writer.write()
    return writer.acknowledged.length > before
  })
  await until('an Event tells of it', async () => {
    const { body } = await get('/api/v1/namespaces/kube-system/events')
    return body.items.some(({ reason }: { reason: string }) => reason === 'StoreWritesFailed')
  })
  await writer.check()
}

test('full store: on a full disk reads go on, it is said what is wrong, and writes come back', async (t) => {
  const disk = await createSmallDisk(t, 32 << 20)
  await withLiveFleet({ store: 'sqlite', directory: disk.directory }, async (fleet) => {
    const server = await fleet.start('a', '')
    const writer = new Writer(fleet)
    while (writer.acknowledged.length < 5) await writer.write()
    assert.deepEqual(writer.refusals, [])
    await disk.fill(server.pid)
    await seeFullStore(fleet, writer, /the disk that holds the store/)
    await disk.free(server.pid)
    await seeRecovery(fleet, writer)
    await server.terminate()
    await fleet.start('a', '')
    await writer.check()
  })
})

test('full store: an etcd at its quota is named, with what to do', async () => {
  await withLiveFleet({ store: 'etcd', etcdQuotaBytes: 8 << 20 }, async (fleet) => {
    await fleet.start('a', '')
    const writer = new Writer(fleet)
    await seeFullStore(fleet, writer, /etcd has used up its quota; .*etcdctl defrag.*etcdctl alarm disarm/)
    for (const refusal of writer.refusals) assert.ok(!refusal.includes('nothing was written'), refusal)
  })
})
