import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { crdForTest } from '../plan/crd-for-test.ts'
import type { CrdLook } from './crd-look.ts'
import { ObjectChecks } from './object-checks.ts'
import type { UpgradeSession } from './upgrade-options.ts'

const answer = (status: number, body: object): HttpResponse => ({
  status,
  headers: {},
  body: utf8.encode(JSON.stringify(body)),
})

test('what a webhook keeps: an object whose dry run is refused is saved, and named', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'strata-checks-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const simulation = new Simulation('checks')
  const object = { metadata: { name: 'one', namespace: 'default', resourceVersion: '7' }, spec: { watts: 5 } }
  const why = 'admission webhook "a.example.dev" does not support dry run'
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
    options: { acceptLoss: [], concurrency: 1 },
    directory,
  } as unknown as UpgradeSession
  const live = crdForTest({ versions: 'v1 v2*', stored: ['v1', 'v2'], webhook: 'https://a' })
  const checks = new ObjectChecks(session, { name: 'lamps', document: { crd: live } } as CrdLook)
  await simulation.settle(checks.returned(session, live))
  const [file = ''] = readdirSync(directory)
  assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600)
  assert.deepEqual(JSON.parse(readFileSync(join(directory, file), 'utf8')), object)
  assert.match(
    warned.join('\n'),
    /1 object of lamps could not be compared .* default\/one: admission webhook/,
  )
})
