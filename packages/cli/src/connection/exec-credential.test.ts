import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { connectAccess, parsePlugin } from './exec-credential.ts'

const { signal } = new AbortController()
const apiVersion = 'client.authentication.k8s.io/v1'

describe('credential plugins', () => {
  let home = ''
  let server: Server
  const seen: string[] = []
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-plugin-'))
    server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '')
      response.writeHead(request.headers.authorization === 'Bearer refused' ? 401 : 200).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.close()
    await rm(home, { recursive: true, force: true })
  })

  /** A program that writes down how often it was run, and says this. */
  async function plugin(name: string, lines: string) {
    const command = join(home, name)
    await writeFile(
      command,
      `#!/bin/sh\necho "$PURPOSE $KUBERNETES_EXEC_INFO" >> ${command}.runs\n${lines}\n`,
    )
    await chmod(command, 0o755)
    const exec = parsePlugin({ apiVersion, command, env: [{ name: 'PURPOSE', value: 'test' }] }, 'users[u]')
    const { port } = server.address() as AddressInfo
    const access = { server: `http://127.0.0.1:${port}`, exec }
    const transport = connectAccess(access, { clock: nodeClock, environment: process.env })
    const ask = () => transport({ method: 'GET', target: '/', headers: {}, signal })
    const runs = async () => (await readFile(`${command}.runs`, 'utf8')).trim().split('\n')
    return { ask, runs, close: () => transport.close() }
  }
  const giving = (status: object): string =>
    `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`

  test('one run for many requests, with KUBERNETES_EXEC_INFO', async () => {
    const { ask, runs, close } = await plugin('lasting', giving({ token: 'one' }))
    await Promise.all([ask(), ask(), ask()])
    await ask()
    close()
    assert.deepEqual(seen.splice(0), Array(4).fill('Bearer one'))
    const [only, ...others] = await runs()
    assert.match(
      only ?? '',
      /^test \{"kind":"ExecCredential","apiVersion":"client\.authentication\.k8s\.io\/v1"/,
    )
    assert.deepEqual(others, [])
  })

  test('asked anew when a credential is about to end, and when one was refused', async () => {
    for (const status of [
      { token: 'short', expirationTimestamp: '2020-01-01T00:00:00Z' },
      { token: 'refused' },
    ]) {
      const { ask, runs, close } = await plugin(status.token, giving(status))
      await ask()
      await ask()
      close()
      assert.equal((await runs()).length, 2)
    }
    seen.splice(0)
  })

  const mistakes: readonly [name: string, lines: string, message: RegExp][] = [
    ['silent', 'exit 0', /did not print JSON$/],
    ['failing', 'exit 3', /ended with exit code 3$/],
    ['empty', giving({}), /returned no token and no certificate$/],
  ]
  for (const [name, lines, message] of mistakes) {
    test(`one that is ${name} is named`, async () => {
      await assert.rejects((await plugin(name, lines)).ask(), { name: 'CliError', message })
    })
  }

  test('a missing plugin is named, with its install hint', async () => {
    const exec = parsePlugin(
      { apiVersion, command: join(home, 'nowhere'), installHint: 'install it' },
      'users[u]',
    )
    const transport = connectAccess(
      { server: 'http://127.0.0.1:9', exec },
      { clock: nodeClock, environment: {} },
    )
    await assert.rejects(transport({ method: 'GET', target: '/', headers: {}, signal }), {
      message: /nowhere cannot be run \(ENOENT\)\ninstall it$/,
    })
  })

  test('a missing field is named with its place', () => {
    assert.throws(
      () => parsePlugin({ apiVersion }, 'f: users[u]'),
      /^CliError: f: users\[u\]\.exec\.command is missing: name the credential plugin$/,
    )
    assert.throws(
      () => parsePlugin({ command: 'c', apiVersion: 'v0' }, 'f: users[u]'),
      /exec\.apiVersion: v0 is not one of/,
    )
  })
})
