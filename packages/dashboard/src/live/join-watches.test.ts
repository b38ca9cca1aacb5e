import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from '@strata/client'
import { AsyncQueue, type Clock, type HttpRequest, readAll, type Transport, utf8 } from '@strata/world'
import { joinWatches } from './join-watches.ts'

/** Delays pass when the test says so. */
class StepClock implements Clock {
  #pending: (() => void)[] = []
  wallMs = (): number => 0
  monotonicMs = (): number => 0
  soon = (callback: () => void): void => queueMicrotask(callback)
  after = (_: number, callback: () => void) => {
    this.#pending.push(callback)
    return () => {}
  }
  async step(): Promise<void> {
    for (const each of this.#pending.splice(0)) each()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

interface Joint {
  readonly ids: readonly string[]
  readonly paths: readonly string[]
  readonly signal: AbortSignal
  send(line: object): void
  close(): void
}

function gateway() {
  const clock = new StepClock()
  const joints: Joint[] = []
  const passed: string[] = []
  const transport: Transport = async ({ method, target, body, signal }: HttpRequest) => {
    if (target !== '/dashboard/watches') {
      passed.push(`${method} ${target}`)
      return { status: 200, headers: {}, body: new Uint8Array() }
    }
    const lines = new AsyncQueue<Uint8Array>({ limit: 100 })
    signal.addEventListener('abort', () => lines.fail(signal.reason))
    const { watches } = JSON.parse(utf8.decode(await readAll(body ?? new Uint8Array())))
    joints.push({
      ids: watches.map(({ id }: { id: string }) => id),
      paths: watches.map(({ path }: { path: string }) => path),
      signal,
      send: (line) => lines.push(utf8.encode(`${JSON.stringify(line)}\n`)),
      close: () => lines.close(),
    })
    return { status: 200, headers: {}, body: lines }
  }
  const joined = joinWatches(transport, clock)
  const watch = (path: string, signal = new AbortController().signal) =>
    joined({ method: 'GET', target: `${path}?watch=true&resourceVersion=1`, headers: {}, signal })
  return { clock, joints, passed, joined, watch }
}

const event = (resourceVersion: string) => ({ type: 'MODIFIED', object: { metadata: { resourceVersion } } })
const settle = () => new Promise((resolve) => setImmediate(resolve))

async function firstLine(answer: ReturnType<Transport>): Promise<unknown> {
  const { body } = await answer
  if (body instanceof Uint8Array) throw new Error('no stream')
  for await (const line of linesOf(body)) return JSON.parse(line)
  return 'ended'
}

test('watches that begin together share a connection, and each gets its own events', async () => {
  const { clock, joints, watch } = gateway()
  const [a, b] = [watch('/api/v1/a'), watch('/api/v1/b')]
  await clock.step()
  assert.equal(joints.length, 1)
  const [joint] = joints
  assert.equal(joint?.ids.length, 2)
  joint?.send({ id: joint.ids[1], event: event('5') })
  joint?.send({ id: joint.ids[0], event: event('6') })
  assert.deepEqual([await firstLine(a), await firstLine(b)], [event('6'), event('5')])
})

test('a third connection takes over the watches of a smaller one, where they are', async () => {
  const { clock, joints, watch } = gateway()
  const a = watch('/api/v1/a')
  await clock.step()
  const one = joints[0]
  one?.send({ id: one.ids[0], event: event('7') })
  await settle()
  void watch('/api/v1/b')
  void watch('/api/v1/c')
  await clock.step()
  void watch('/api/v1/d')
  await clock.step()
  assert.equal(joints.length, 3)
  assert.ok(one?.signal.aborted)
  assert.deepEqual(joints[2]?.paths, [
    '/api/v1/a?watch=true&resourceVersion=7',
    '/api/v1/d?watch=true&resourceVersion=1',
  ])
  const { body } = await a
  const lines = linesOf(body as AsyncIterable<Uint8Array>)
  assert.deepEqual(JSON.parse((await lines.next()).value ?? ''), event('7'))
  joints[2]?.send({ id: joints[2].ids[0], event: event('8') })
  assert.deepEqual(JSON.parse((await lines.next()).value ?? ''), event('8'))
})

test('a refused watch gets the refusal as its answer; the others go on', async () => {
  const { clock, joints, watch } = gateway()
  const [a, b] = [watch('/api/v1/a'), watch('/api/v1/b')]
  await clock.step()
  const [joint] = joints
  joint?.send({ id: joint.ids[0], status: { kind: 'Status', code: 403 } })
  joint?.send({ id: joint.ids[1], event: event('2') })
  assert.equal((await a).status, 403)
  assert.deepEqual(await firstLine(b), event('2'))
})

test('a connection that breaks fails its watches; one that ends ends them', async () => {
  const { clock, joints, watch } = gateway()
  const a = watch('/api/v1/a')
  await clock.step()
  joints[0]?.close()
  assert.equal(await firstLine(a), 'ended')
})

test('a connection ends when all of its watches have left', async () => {
  const { clock, joints, watch } = gateway()
  const stop = new AbortController()
  const a = watch('/api/v1/a', stop.signal)
  await clock.step()
  stop.abort(new Error('left'))
  await assert.rejects(a, /left/)
  assert.ok(joints[0]?.signal.aborted)
})

test('everything else is passed on as it is, also what streams and is no watch of the API', async () => {
  const { joined, passed } = gateway()
  const { signal } = new AbortController()
  for (const target of ['/api/v1/a', '/playground/v1/fleet?watch=1'])
    await joined({ method: 'GET', target, headers: {}, signal })
  assert.deepEqual(passed, ['GET /api/v1/a', 'GET /playground/v1/fleet?watch=1'])
})
