import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent, type RequestOptions, request } from 'node:https'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog, type HttpResponse, sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { createCertificates } from '../credentials/certificates.ts'
import type { ServerRequest } from '../handlers/index.ts'
import type { FloodEnd } from './flood-for-test.ts'
import { type Listener, listen } from './listen.ts'
import { type BudgetLimits, budgetLimits } from './spending.ts'

let certificates: Awaited<ReturnType<typeof createCertificates>>
before(async () => {
  certificates = await createCertificates({
    hostnames: ['localhost'],
    addresses: ['127.0.0.1'],
    nowMs: nodeClock.wallMs(),
  })
})

/** As if there were no budgets: the control of the same run. */
const unlimited: BudgetLimits = { ...budgetLimits, requestUnits: 0, resetUnits: 0 }

async function* silent(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from('open')
  if (!signal.aborted) await once(signal, 'abort')
}

/** Requests that were not refused before they cost anything. */
let handled = 0

/** Takes some hundred microseconds, as a request through all filters does. Those to /watch bring a credential. */
async function handle({ target, signal, onAuthenticated }: ServerRequest): Promise<HttpResponse> {
  handled++
  if (target === '/watch') onAuthenticated?.()
  const end = process.cpuUsage().user + 200
  while (process.cpuUsage().user < end);
  await new Promise<void>((resolve) => nodeClock.soon(resolve))
  const headers = { 'content-type': 'text/plain' }
  return { status: 200, headers, body: target === '/watch' ? silent(signal) : Buffer.from('ok') }
}

async function start(t: TestContext, budget: BudgetLimits): Promise<Listener> {
  const listener = await listen({
    handle,
    host: '127.0.0.1',
    port: 0,
    tls: certificates.serving,
    clock: nodeClock,
    log: createLog(() => {}),
    budget,
  })
  t.after(() => listener.close(AbortSignal.abort()))
  return listener
}

const program = fileURLToPath(new URL('flood-for-test.ts', import.meta.url))

/** Floods from a process of its own, and tells what that did to the event loop of this one. */
async function flood(t: TestContext, listener: Listener, kind: string, connections: number, count: number) {
  const child = spawn(process.execPath, [program, kind, ...[listener.port, connections, count].map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, 'connected')
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const handledBefore = handled
  const end: FloodEnd = JSON.parse((await lines.next()).value ?? '{}')
  // One turn may take the whole flood. It counts once the monitor's own timer has had its next turn.
  for (const seen = delay.count; delay.count === seen; ) await sleep(nodeClock, 1)
  delay.disable()
  return { ...end, longestTurnMs: delay.max / 1e6, handled: handled - handledBefore }
}

async function livez({ port }: Listener, options: RequestOptions = {}): Promise<number> {
  const { cert: ca } = certificates.authority
  const asked = request({ host: '127.0.0.1', port, path: '/livez', ca, ...options })
  asked.end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}

test('flood: rapid reset over 60 connections does not stop the server', { timeout: 240_000 }, async (t) => {
  const listener = await start(t, budgetLimits)
  const limited = await flood(t, listener, 'rapid-reset', 60, 2_000)
  assert.equal(limited.closed, 60)
  assert.ok(limited.calmed > 0, 'clients get the reason')
  assert.equal(await livez(listener), 200)
  const control = await flood(t, await start(t, unlimited), 'rapid-reset', 60, 2_000)
  assert.ok(
    limited.longestTurnMs * 3 < control.longestTurnMs,
    `the longest turn took ${limited.longestTurnMs} ms, without budgets ${control.longestTurnMs} ms`,
  )
})

test('flood: of requests in a row over 60 connections few are handled', { timeout: 240_000 }, async (t) => {
  const listener = await start(t, budgetLimits)
  const { closed, handled: answered } = await flood(t, listener, 'pipeline', 60, 2_000)
  assert.equal(closed, 60)
  assert.ok(answered * 2 < 60 * 2_000, `${answered} were handled`)
  assert.equal(await livez(listener), 200)
})

// More streams than a session may have at once: that is for Node to end, whatever the budgets.
test('flood: more streams than allowed, over 60 connections, do not stop the server', {
  timeout: 240_000,
}, async (t) => {
  const listener = await start(t, budgetLimits)
  const { closed, handled: answered } = await flood(t, listener, 'requests', 60, 2_000)
  assert.equal(closed, 60)
  assert.ok(answered * 2 < 60 * 2_000, `${answered} were handled`)
  assert.equal(await livez(listener), 200)
})

test('flood: a connection of HTTP/1.1 that overdraws its budget gets 429 and is closed', async (t) => {
  const listener = await start(t, { ...budgetLimits, connection: 3, connectionPerSecond: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn++) statuses.push(await livez(listener, { agent }))
  // The fifth came over another connection, which has a budget of its own.
  assert.deepEqual(statuses, [200, 200, 200, 429, 200])
})

test('flood: 2,000 authenticated watches of one address open and stay open beside it', {
  timeout: 240_000,
}, async (t) => {
  const listener = await start(t, budgetLimits)
  const sessions: ClientHttp2Session[] = []
  t.after(() => {
    for (const each of sessions) each.destroy()
  })
  const open = (): ReturnType<ClientHttp2Session['request']>[] => {
    const session = connect(`https://127.0.0.1:${listener.port}`, { ca: certificates.authority.cert })
    session.on('error', () => {})
    sessions.push(session)
    return Array.from({ length: 200 }, () => session.request({ ':path': '/watch' }))
  }
  const openAll = async (count: number) => {
    const watches = Array.from({ length: count }, open).flat()
    for (const watch of watches) watch.on('error', () => {})
    await Promise.all(watches.map((watch) => once(watch, 'response')))
    return watches
  }
  const early = await openAll(5)
  const [end, late] = await Promise.all([flood(t, listener, 'rapid-reset', 60, 2_000), openAll(5)])
  assert.equal(end.closed, 60)
  const all = [...early, ...late]
  assert.equal(all.length, 2_000)
  assert.deepEqual(
    all.filter(({ destroyed, closed }) => destroyed || closed),
    [],
  )
})
