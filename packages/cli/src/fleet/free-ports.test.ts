import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { CliError } from '../output/errors.ts'
import { findFreePorts } from './free-ports.ts'

test('free ports: a given port that is taken is refused; the default moves on', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  try {
    const refused = await findFreePorts(port, 1, { isGiven: true }).catch((error: unknown) => error)
    assert.ok(refused instanceof CliError)
    assert.equal(refused.exitCode, 2)
    assert.match(refused.message, new RegExp(`^--port ${port}: the port is in use`))
    const [found = 0] = await findFreePorts(port, 1, { isGiven: false })
    assert.ok(found > port)
  } finally {
    taken.close()
  }
})
