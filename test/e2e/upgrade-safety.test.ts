import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { lighthouseModule, StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { withLiveFleet } from './live-fleet.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'

test('upgrade safety, with processes: x over what x+3 has written refuses it and names it, and serves it when it has been migrated back', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    const newest = await fleet.start('a', 'x+3')
    const names = ['one', 'two', 'three']
    for (const name of names) {
      const created = await ask(fleet.transport('a'), 'POST', beaconPath('v2'), beacon('v2', name, 5))
      assert.equal(created.status, 201, JSON.stringify(created.body))
    }
    await newest.terminate()

    // A whole fleet of that release can mend nothing, and says so at once.
    const start = ['--servers', '1', '--port', '0', '--data-dir', fleet.directory]
    const up = new StrataProcess('up', ['up', ...start, '--resources', lighthouseModule, '--release', 'x'])
    fleet.processes.push(up)
    assert.equal((await up.ended()).code, 1, up.output)
    assert.match(
      up.output,
      /strata-1 does not start: beacons\.lighthouse\.example\.dev is not served.*stored as/,
    )

    const old = fleet.launch('b', 'x')
    const refused = await until('the old release answers', async () => {
      const answer = await ask(fleet.transport('b'), 'GET', beaconPath('v1')).catch(() => undefined)
      return answer?.body.message?.includes('is not served') ? answer : undefined
    })
    assert.equal(refused.status, 503)
    for (const named of [
      'beacons.lighthouse.example.dev',
      '3 objects',
      v1,
      v2,
      'release x ',
      'strata migrate',
    ]) {
      assert.ok(refused.body.message.includes(named), `${named}: ${refused.body.message}`)
    }
    const maps = await until('the rest is served', async () => {
      const answer = await ask(fleet.transport('b'), 'POST', '/api/v1/namespaces/default/configmaps', {
        metadata: { name: 'other' },
      })
      return [201, 409].includes(answer.status) ? answer : undefined
    })
    assert.ok(maps)
    await until('it lives', async () => (await ask(fleet.transport('b'), 'GET', '/livez')).status === 200)
    assert.equal((await ask(fleet.transport('b'), 'GET', '/readyz')).status, 500)
    assert.match(old.output, /refuses to serve what it cannot read/)

    // Reads both, and writes v1.
    await fleet.start('c', 'x+1')
    const access = ['--kubeconfig', fleet.kubeconfig, '--context', 'c']
    const migrate = new StrataProcess('migrate', ['migrate', 'beacons.lighthouse.example.dev', ...access])
    fleet.processes.push(migrate)
    assert.equal((await migrate.ended()).code, 0, migrate.output)
    const served = await until('the old release serves it', async () => {
      const answer = await ask(fleet.transport('b'), 'GET', beaconPath('v1'))
      return answer.status === 200 ? answer : undefined
    })
    assert.equal(served.body.items.length, 3)
    await until('it is ready', async () => (await ask(fleet.transport('b'), 'GET', '/readyz')).status === 200)
    assert.ok(old.running)
  })
})
