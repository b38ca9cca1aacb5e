import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type HttpRequest, type HttpResponse, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createFleetTransport, type FleetMember } from './fleet-transport.ts'

/** What a server does: shows this uid, refuses to show it, cannot be reached, or accepts requests and never answers. */
type Behaviour = { readonly uid: string } | 'forbidden' | 'gone' | 'frozen'

const identityPath = '/api/v1/namespaces/kube-system'

function stage(_t: TestContext, behaviours: readonly Behaviour[], more: Partial<FleetMember> = {}) {
  const now = [...behaviours]
  const simulation = new Simulation('failover')
  const { clock } = simulation.process('cli')
  const asked: string[] = []
  const warned: string[] = []
  const member = (index: number): FleetMember => ({
    ...{ context: 'abc'[index] ?? '', fleet: undefined, isNamed: false, ...more },
    transport: async ({ target, signal }: HttpRequest): Promise<HttpResponse> => {
      const behaviour = now[index] ?? 'gone'
      asked.push(`${'abc'[index]} ${target === identityPath ? 'uid' : target}`)
      if (behaviour === 'gone') throw new TransportError('connection refused', 'no')
      if (behaviour === 'frozen')
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const isHidden = target === identityPath && behaviour === 'forbidden'
      const uid = behaviour === 'forbidden' ? '' : behaviour.uid
      const body = isHidden ? { kind: 'Status', code: 403, message: 'not you' } : { metadata: { uid } }
      return { status: isHidden ? 403 : 200, headers: {}, body: utf8.encode(JSON.stringify(body)) }
    },
  })
  const [first, ...others] = behaviours.map((_, index) => member(index))
  assert.ok(first)
  const transport = createFleetTransport([first, ...others], { clock, warn: (text) => warned.push(text) })
  const send = async (target: string, signal = new AbortController().signal) => {
    const sent = transport({ method: 'GET', target, headers: {}, signal }).then(
      ({ status }) => String(status),
      (error: Error) => error.message,
    )
    await simulation.run({ untilMs: simulation.nowMs + 6_000 })
    return sent
  }
  return { now, asked, warned, send, simulation }
}

const one = { uid: 'u-1' }
const two = { uid: 'u-2' }

test('failover: another server of the same cluster takes over, and each is asked once for its cluster', async (t) => {
  const { now, asked, warned, send } = stage(t, [one, one])
  assert.equal(await send('/1'), '200')
  now[0] = 'gone'
  assert.equal(await send('/2'), '200')
  assert.equal(await send('/3'), '200')
  assert.deepEqual(asked, ['a uid', 'a /1', 'a /2', 'b uid', 'b /2', 'b /3'])
  assert.deepEqual(warned, [])
})

test('failover: never to another cluster, and it is said once', async (t) => {
  const { now, asked, warned, send } = stage(t, [one, two])
  await send('/1')
  now[0] = 'gone'
  const why =
    'context "b" is not used instead of "a": it is another cluster: the uid of its kube-system is u-2, not u-1'
  assert.equal(await send('/2'), `context "a" does not answer (connection refused); ${why}`)
  await send('/3')
  assert.deepEqual(warned, [why])
  now[0] = one
  assert.equal(await send('/4'), '200')
  assert.deepEqual(
    asked.filter((each) => each.startsWith('b')),
    ['b uid'],
  )
})

test('failover: not if the first has never answered, unless the user named both', async (t) => {
  const found = stage(t, ['gone', one])
  assert.match(
    await found.send('/1'),
    /^context "a" does not answer \(connection refused\); .*: --context a --context b$/,
  )
  const named = stage(t, ['gone', one], { isNamed: true })
  assert.equal(await named.send('/1'), '200')
  named.now[0] = two
  named.now[1] = 'gone'
  assert.match(
    await named.send('/2'),
    /^context "b" does not answer .* "a" is not used instead of "b": it is another/,
  )
})

test('failover: not where the uid may not be read; looked at again after a minute', async (t) => {
  const { now, warned, send, simulation } = stage(t, ['forbidden', one])
  assert.equal(await send('/1'), '200')
  now[0] = 'gone'
  assert.match(await send('/2'), /unknown: the first does not show the uid of kube-system \(not you\)$/)
  assert.equal(warned.length, 1)
  now[0] = one
  await simulation.run({ untilMs: simulation.nowMs + 60_000 })
  assert.equal(await send('/3'), '200')
  now[0] = 'gone'
  await simulation.run({ untilMs: simulation.nowMs + 60_000 })
  assert.equal(await send('/4'), '200')
})

test('failover: a frozen server is left after some seconds', async (t) => {
  const { asked, send } = stage(t, ['frozen', one], { isNamed: true })
  assert.equal(await send('/1'), '200')
  assert.deepEqual(asked, ['a uid', 'b uid', 'b /1'])
})

test('failover: servers that the kubeconfig states to be one fleet are not asked', async (t) => {
  const { asked, send } = stage(t, ['gone', two], { fleet: 'f' })
  assert.equal(await send('/1'), '200')
  assert.deepEqual(asked, ['a /1', 'b /1'])
})
