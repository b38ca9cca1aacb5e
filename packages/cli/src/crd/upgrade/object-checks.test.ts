import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createClient } from '@strata/client'
import { type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { crdForTest } from '../plan/crd-for-test.ts'
import type { CrdLook } from './crd-look.ts'
import { ObjectChecks } from './object-checks.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: {},
  body: utf8.encode(JSON.stringify(body)),
})

const why = 'admission webhook "a.example.dev" does not support dry run'
const object = { metadata: { name: 'one', namespace: 'default', resourceVersion: '7' }, spec: { watts: 5 } }
const live = crdForTest({ versions: 'v1 v2*', stored: ['v1', 'v2'], webhook: 'https://a' })

/** Asks what the webhook keeps, of a server that refuses every dry run. */
async function returned(t: TestContext, acceptLoss: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'strata-checks-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const simulation = new Simulation('checks')
  const client = createClient({
    transport: async ({ method }) =>
      method === 'GET'
        ? answer(200, { metadata: {}, items: [object] })
        : answer(400, { kind: 'Status', apiVersion: 'v1', code: 400, reason: 'BadRequest', message: why }),
  })
  const warned: string[] = []
  const session = {
    cluster: { client },
    context: {
      world: simulation.process('cli'),
      signal: new AbortController().signal,
      warn: (text: string) => warned.push(text),
    },
    options: { acceptLoss, concurrency: 1 },
    directory,
  } as unknown as UpgradeSession
  const checks = new ObjectChecks(session, { name: 'lamps', document: { crd: live } } as CrdLook)
  const stop = await simulation.settle(checks.returned(session, live)).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { stop, directory, warned: warned.join('\n') }
}

for (const accepted of ['not-compared', 'lamps:not-compared']) {
  test(`what a webhook keeps: with ${accepted}, an object whose dry run is refused is saved, and named`, async (t) => {
    const { stop, directory, warned } = await returned(t, [accepted])
    assert.equal(stop, undefined)
    const [file = ''] = readdirSync(directory)
    assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600)
    assert.deepEqual(JSON.parse(readFileSync(join(directory, file), 'utf8')), object)
    assert.match(warned, /lamps: 1 object could not be compared .* default\/one: admission webhook/)
  })
}

for (const accepted of [[], ['spec'], ['lights:not-compared']]) {
  test(`what a webhook keeps: with [${accepted}], an object whose dry run is refused stops the upgrade`, async (t) => {
    const { stop, directory } = await returned(t, accepted)
    assert.ok(stop instanceof UpgradeStop, String(stop))
    assert.deepEqual([stop.result, stop.exit], ['lossy', 'incomplete'])
    assert.equal(
      stop.message,
      `1 object could not be compared with what the conversion webhook keeps: default/one: ${why}`,
    )
    assert.equal(stop.next, 'if that is intended: --accept-loss "not-compared"')
    assert.deepEqual(readdirSync(directory), [])
  })
}
