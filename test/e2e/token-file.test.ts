import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePorts } from '../support/free-ports.ts'
import { StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', path: '/api/v1/namespaces', agent: false, ...options })
    outgoing.on('response', (incoming) => resolve(incoming.resume().statusCode))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

test('token file: the kubeconfig that is written works, and a token that is removed does not', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-token-file-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [tokens, kubeconfig] = [join(directory, 'tokens.csv'), join(directory, 'kubeconfig')]
  const ann = 'token-of-ann,ann,1,system:masters\n'
  await writeFile(tokens, `${ann}token-of-bob,bob,2,system:masters\n`)
  const [port = 0] = await freePorts(1)
  const process = new StrataProcess('token-file', [
    ...['serve', '--store', 'memory', '--data-dir', directory, '--secure-port', String(port)],
    ...['--token-auth-file', tokens, '--kubeconfig-out', kubeconfig],
  ])
  t.after(() => process.kill())
  const ca = await until('there is an authority', () => {
    assert.ok(process.running, process.output)
    return readFile(join(directory, 'pki/ca.crt'), 'utf8').catch(() => undefined)
  })
  await untilReady(process, { url: `https://127.0.0.1:${port}`, ca, token: 'token-of-ann' })

  const written = await until('there is a kubeconfig', () =>
    readFile(kubeconfig, 'utf8').catch(() => undefined),
  )
  const { user } = JSON.parse(written).users[0]
  const decoded = (field: string): Buffer => Buffer.from(user[field], 'base64')
  const certificate = { cert: decoded('client-certificate-data'), key: decoded('client-key-data') }
  assert.equal(await statusOf({ port, ca, ...certificate }), 200)

  const withToken = (name: string): RequestOptions => ({
    port,
    ca,
    headers: { authorization: `Bearer token-of-${name}` },
  })
  assert.equal(await statusOf(withToken('bob')), 200)
  await writeFile(tokens, `${ann}token-of-cid,cid,3,system:masters\n`)
  await until('the token is refused', async () => (await statusOf(withToken('bob'))) === 401)
  assert.equal(await statusOf(withToken('cid')), 200)
  assert.equal(await statusOf(withToken('ann')), 200)
})
