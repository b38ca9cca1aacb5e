import assert from 'node:assert/strict'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathsBelow } from '@strata/server/main'
import { ask } from '../support/ask.ts'
import { agreementPath } from '../support/fleet.ts'
import { until } from '../support/until.ts'
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

test('lost store: a backup that was put in place as the docs say is a new history for every client', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    const create = async (name: string): Promise<string> => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
      const { status, body } = await ask(fleet.transport('a'), 'POST', maps, object)
      assert.equal(status, 201)
      return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion
    }
    const file = join(pathsBelow(fleet.directory).storeDir, 'store.db')
    await fleet.start('a', '')
    await create('kept')
    await fleet.server('a').terminate()
    await copyFile(file, join(fleet.directory, 'backup.db'))
    await fleet.start('a', '')
    const seen = await create('lost')
    await fleet.server('a').terminate()

    await copyFile(join(fleet.directory, 'backup.db'), file)
    await rm(join(fleet.directory, 'store.mark'))
    await fleet.start('a', '')
    const a = fleet.transport('a')
    assert.equal((await ask(a, 'GET', `${maps}/kept`)).status, 200)
    assert.equal((await ask(a, 'GET', `${maps}/lost`)).status, 404)
    const again = await create('after')
    assert.ok(Number(again) > Number(seen), `${again} was handed out before`)
    const { body } = await ask(a, 'GET', `${maps}?watch=true&resourceVersion=${seen}&timeoutSeconds=5`)
    assert.match(JSON.stringify(body), /410/)
    await until('the record shows the gap', async () => {
      const record = await ask(a, 'GET', agreementPath)
      const { status } = record.body as { status?: { recordingGap?: { reason?: string } } }
      return status?.recordingGap?.reason === 'StoreRestored'
    })
  })
})
