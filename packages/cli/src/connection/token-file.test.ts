import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { HttpRequest } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { withTokenFile } from './token-file.ts'

test('a token file is read again after a minute, and the last token counts while it cannot be read', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'strata-token-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const path = join(home, 'token')
  const simulation = new Simulation('token')
  const sent: unknown[] = []
  const transport = Object.assign(
    async ({ headers }: HttpRequest) => {
      sent.push(headers['authorization'])
      return { status: 200, headers: {}, body: new Uint8Array() }
    },
    { close: () => {} },
  )
  const { clock } = simulation.process('p', { host: 'h' })
  const send = withTokenFile(transport, path, 'fallback', clock)
  const ask = () => send({ method: 'GET', target: '/', headers: {}, signal: new AbortController().signal })
  const pass = (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms })
  await ask()
  await writeFile(path, 'one\n')
  await ask()
  await pass(60_000)
  await ask()
  await writeFile(path, 'two\n')
  await pass(30_000)
  await ask()
  await pass(30_000)
  await ask()
  await rm(path)
  await pass(60_000)
  await ask()
  assert.deepEqual(
    sent,
    ['fallback', 'fallback', 'one', 'one', 'two', 'two'].map((each) => `Bearer ${each}`),
  )
  const none = withTokenFile(transport, path, undefined, clock)
  await assert.rejects(
    none({ method: 'GET', target: '/', headers: {}, signal: new AbortController().signal }),
    /^CliError: the token file .*token cannot be read$/,
  )
})
