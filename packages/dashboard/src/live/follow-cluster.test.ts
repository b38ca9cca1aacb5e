import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, type Transport, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { followCluster } from './follow-cluster.ts'
import { kindAddresses } from './kind-addresses.ts'
import type { Observed } from './observed.ts'

type Reply = (path: string) => HttpResponse | 'never' | 'no connection'

const json = (status: number, value: unknown): HttpResponse => ({
  ...{ status, headers: { 'content-type': 'application/json' } },
  body: utf8.encode(JSON.stringify(value)),
})
const pathOf = ({ group, versionName, namespace, resource }: (typeof kindAddresses)['leases']): string =>
  `/apis/${group}/${versionName}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${resource}`
const records = pathOf(kindAddresses.records)
const leases = pathOf(kindAddresses.leases)

function discovery(path: string, kinds: readonly (typeof kindAddresses)['leases'][]) {
  const items = kinds.map(({ group, versionName: version, resource }) => ({
    metadata: { name: group },
    versions: [
      { version, resources: [{ resource, scope: 'Cluster', responseKind: { kind: resource }, verbs: [] }] },
    ],
  }))
  return json(200, { kind: 'APIGroupDiscoveryList', items: path === '/apis' ? items : [] })
}

const list = (...names: readonly string[]): HttpResponse =>
  json(200, { metadata: { resourceVersion: '1' }, items: names.map((name) => ({ metadata: { name } })) })

/** A cluster with records and Leases; watches are silent. */
const healthy: Reply = (path) => {
  if (path === '/api' || path === '/apis')
    return discovery(path, [kindAddresses.records, kindAddresses.leases])
  if (path.includes('watch=')) return 'never'
  if (path.startsWith(records)) return list('core.pods')
  return path.startsWith(leases) ? list('a') : json(404, {})
}

function follow(first: Reply) {
  const simulation = new Simulation('dashboard')
  const { clock, random } = simulation.process('page')
  let reply = first
  const asked: string[] = []
  const times: { readonly path: string; readonly atMs: number }[] = []
  const shown: Observed[] = []
  const transport: Transport = ({ target, signal }) => {
    asked.push(target)
    times.push({ path: target, atMs: clock.monotonicMs() })
    const answer = reply(target)
    if (answer === 'no connection') return Promise.reject(new TransportError('refused', 'no'))
    if (answer !== 'never') return Promise.resolve(answer)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const stop = new AbortController()
  const following = followCluster({ clock, random, transport, show: (each) => shown.push(each) }, stop.signal)
  return {
    asked,
    times,
    run: (untilMs: number) => simulation.run({ untilMs }),
    become: (next: Reply) => (reply = next),
    last: () => shown.at(-1),
    end: async () => {
      stop.abort(new Error('the page is left'))
      await simulation.settle(following)
    },
  }
}

test('follow: what is served is listed and watched; what is not is never asked for', async () => {
  const { run, last, asked, end } = follow(healthy)
  await run(3_000)
  const { records: seen, states, versioned, served } = last() ?? {}
  assert.deepEqual(
    [seen?.sight, seen?.objects.length, states?.sight, versioned?.sight],
    ['seen', 1, 'absent', 'absent'],
  )
  assert.ok(served?.has('storageagreements.strata.dev'))
  assert.ok(!asked.some((path) => path.includes('migration.k8s.io')))
  await end()
})

test('follow: a kind that may not be read is refused, and seen once the right is there', async () => {
  const { run, last, become, end } = follow((path) =>
    path.startsWith(records) ? json(403, { kind: 'Status', code: 403 }) : healthy(path),
  )
  await run(3_000)
  assert.deepEqual([last()?.records.sight, last()?.leases.sight], ['refused', 'seen'])
  become(healthy)
  await run(20_000)
  assert.equal(last()?.records.sight, 'seen')
  await end()
})

test('follow: a lost connection is said, what was seen stays, and it is found again', async () => {
  const { run, last, become, end } = follow(healthy)
  await run(3_000)
  become(() => 'no connection')
  await run(12_000)
  assert.match(last()?.unseen?.because ?? '', /refused/)
  assert.equal(last()?.records.objects.length, 1)
  become(healthy)
  await run(30_000)
  assert.equal(last()?.unseen, undefined)
  await end()
})

test('follow: when a record loses its last entry, discovery is asked soon whether the resource is gone', async () => {
  const { run, times, end, become } = follow(healthy)
  await run(5_000)
  let sent = false
  become((path) => {
    if (!path.startsWith(records) || !path.includes('watch=') || sent) return healthy(path)
    sent = true
    const object = {
      metadata: { name: 'core.pods', resourceVersion: '2' },
      spec: {},
      status: { servers: [] },
    }
    return { ...json(200, {}), body: utf8.encode(`${JSON.stringify({ type: 'MODIFIED', object })}\n`) }
  })
  // The open watch is silent, and begins again.
  await run(200_000)
  const watches = times.filter(({ path }) => path.startsWith(records) && path.includes('watch='))
  const heardMs = watches[1]?.atMs ?? 0
  const next = times.find(({ path, atMs }) => path === '/apis' && atMs > heardMs)
  assert.ok(next && next.atMs - heardMs < 4_000, `${(next?.atMs ?? 0) - heardMs} ms`)
  await end()
})

test('follow: a frozen server, which answers nothing and closes nothing, is noticed', async () => {
  const { run, last, become, asked, end } = follow(healthy)
  await run(3_000)
  become(() => 'never')
  await run(20_000)
  assert.ok(last()?.unseen)
  const before = asked.length
  become(healthy)
  await run(40_000)
  assert.equal(last()?.unseen, undefined)
  assert.ok(asked.slice(before).some((path) => path.startsWith(records) && path.includes('watch=true')))
  await end()
})
