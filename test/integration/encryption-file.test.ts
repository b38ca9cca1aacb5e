import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { LoneServer } from '../support/lone-server.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

describe('encryption file of a real server', () => {
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-keys-'))
  })
  after(() => rm(home, { recursive: true, force: true }))

  const refused: ReadonlyArray<[name: string, text: string | undefined, problem: RegExp]> = [
    ['a file that is not there', undefined, /--encryption-provider-config \S+: there is no such file/],
    ['an empty file', '', /--encryption-provider-config \S+: the file is empty/],
    ['no YAML', '{[', /: the file is neither YAML nor JSON/],
    [
      'a short key',
      JSON.stringify(configurationFile(['aesgcm:a'])).replace(/"secret":"[^"]*"/, '"secret":"c2hvcnQ="'),
      /keys\[0\]\.secret: has 5 bytes/,
    ],
  ]
  for (const [name, text, problem] of refused) {
    test(`${name} keeps a server from starting, in one line that names the flag`, async () => {
      const file = join(home, `${name.replaceAll(' ', '-')}.yaml`)
      if (text !== undefined) await writeFile(file, text)
      const flags = ['--store', 'memory', '--data-dir', home, '--secure-port', '0']
      const process = new StrataProcess(name, ['serve', ...flags, '--encryption-provider-config', file])
      assert.equal((await process.ended()).code, 2)
      assert.match(process.output, problem)
      assert.equal(process.output.trim().split('\n').length, 1)
    })
  }

  test('a bad new file changes nothing, and says so in the log, in a check, in a metric and in its Lease; a good one is taken over', async () => {
    const file = join(home, 'keys.json')
    const write = (...keys: string[]): Promise<void> =>
      writeFile(file, JSON.stringify(configurationFile(keys, ['secrets', 'secretz'])))
    const warnings = (): number => server.process.output.match(/WARN .*clear text name=secretz/g)?.length ?? 0
    await write('aesgcm:one', 'identity')
    await chmod(file, 0o640)
    const flags = ['--encryption-provider-config', file, '--encryption-provider-config-automatic-reload']
    const renewal = ['--identity-lease-renew-interval-seconds', '1']
    const server = await LoneServer.start('keys', [...flags, ...renewal])
    const get = (path: string) => server.send('HTTP/1.1', { method: 'GET', path })
    const check = '/readyz/encryption-provider-config'
    const reloads = async (status: string): Promise<string | undefined> => {
      const { text } = await get('/metrics')
      const name = 'apiserver_encryption_config_controller_automatic_reloads_total'
      return new RegExp(`^${name}\\{[^}]*status="${status}"[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1]
    }
    const leaseSays = async (): Promise<string | undefined> => {
      const { text } = await get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases')
      return JSON.parse(text).items[0].metadata.annotations['strata.dev/encryption-file']
    }
    try {
      assert.equal((await get(check)).status, 200)
      assert.match(
        server.process.output,
        /WARN .*users other than the owner can read .*mode=0640 readers="its group"/,
      )
      assert.equal(await leaseSays(), undefined)
      assert.equal(warnings(), 1, 'a mistake is reported at start')
      await until('its log says which release it is', () =>
        / INFO ready .* release=\d+\.\d+\.\d+$/m.test(server.process.output),
      )
      await writeFile(file, 'kind: Nonsense')
      const reason = await until('the check fails', async () => {
        const { status, text } = await get(check)
        return status === 500 ? text : undefined
      })
      assert.match(reason, /must be EncryptionConfiguration/)
      assert.equal((await get('/readyz')).status, 200, 'it is no reason to look away')
      assert.match(
        server.process.output,
        /the new encryption configuration was rejected; the previous one stays active/,
      )
      assert.deepEqual([await reloads('failure'), await reloads('success')], ['1', '0'])
      await until('its Lease says so', async () => (await leaseSays()) === 'refused')

      await write('aesgcm:two', 'aesgcm:one', 'identity')
      await until('the check holds', async () => (await get(check)).status === 200)
      await until('its Lease says nothing of it', async () => (await leaseSays()) === undefined)
      assert.deepEqual([await reloads('failure'), await reloads('success')], ['1', '1'])
      await until('the new key is written with', async () => {
        const { text } = await get('/apis/strata.dev/v1alpha1/storageagreements/core.secrets')
        return JSON.parse(text).status.servers[0].writeKey.startsWith('aesgcm:two:')
      })
      assert.equal(warnings(), 2, 'and when a new file is taken over')

      await writeFile(file, 'kind: Nonsense')
      await until('the check fails again', async () => (await get(check)).status === 500)
      await write('aesgcm:two', 'aesgcm:one', 'identity')
      await until('the log gives the all-clear', () =>
        /INFO the encryption configuration file matches the active configuration again/.test(
          server.process.output,
        ),
      )
      assert.equal((await get(check)).status, 200)
    } finally {
      await server.stop()
    }
  })
})
