import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { listenLocally } from './listen-locally.ts'

const handle = async () => ({ status: 200, headers: {}, body: new Uint8Array() })

test('a given port that is taken is refused, and the flag is named; the default moves on', async () => {
  const flag = '--dashboard-port'
  const first = await listenLocally({ port: 0, flag, isGiven: true }, handle, silentLog)
  const { port } = first
  try {
    await assert.rejects(listenLocally({ port, flag, isGiven: true }, handle, silentLog), (error) => {
      assert.ok(error instanceof CliError)
      assert.equal(error.exitCode, 2)
      const what = `${flag} ${port}: the port is in use by another process; stop it, give another port, or leave out ${flag}`
      assert.ok(error.message.startsWith(what), error.message)
      return true
    })
    const second = await listenLocally({ port, flag, isGiven: false }, handle, silentLog)
    await second.close()
    assert.ok(second.port > port)
  } finally {
    await first.close()
  }
})
