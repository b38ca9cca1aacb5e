import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathsBelow } from '@strata/server/main'
import { ask } from '../support/ask.ts'
import { withLiveFleet } from './live-fleet.ts'

const maps = '/api/v1/namespaces/default/configmaps'

test('lost store: an emptied store beside credentials and a mark is refused, and says the way out', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', '')
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } }
    assert.equal((await ask(fleet.transport('a'), 'POST', maps, object)).status, 201)
    await fleet.restart('a', '')
    assert.equal((await ask(fleet.transport('a'), 'GET', `${maps}/kept`)).status, 200)
    await fleet.server('a').terminate()

    await rm(pathsBelow(fleet.directory).storeDir, { recursive: true })
    const refused = fleet.launch('a', '')
    const { code } = await refused.ended()
    assert.equal(code, 2, refused.output)
    const mark = join(fleet.directory, 'store.mark')
    assert.match(refused.output, /--data-dir: cannot use .* there is no store, although revision \d+/)
    assert.ok(refused.output.includes(`remove ${mark}`), refused.output)
    assert.ok(!refused.output.includes('    at '), `no stack for what is no bug: ${refused.output}`)

    await rm(mark)
    await fleet.start('a', '')
    assert.equal((await ask(fleet.transport('a'), 'GET', `${maps}/kept`)).status, 404)
  })
})
