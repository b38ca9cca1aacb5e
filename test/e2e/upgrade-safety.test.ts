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
    assert.match(old.output, /not serving a resource whose stored objects cannot be read/)
    await until('it says that it has started, and what it does not serve', async () =>
      / WARN started, but not ready: .*beacons\.lighthouse\.example\.dev/.test(old.output),
    )
    assert.doesNotMatch(old.output, / INFO ready /)
    const whileRefused = await fleet.status('b')
    assert.deepEqual([whileRefused.code, whileRefused.agreed], [1, false])
    assert.match(
      whileRefused.refusals.join(),
      /\(b\) does not serve it .*stored as v2, which it cannot decode/,
    )
    const waiting = new StrataProcess('status', [
      ...['status', '--until-agreed', '--timeout', '2s', 'beacons'],
      ...['--kubeconfig', fleet.kubeconfig, '--context', 'b'],
    ])
    fleet.processes.push(waiting)
    assert.equal((await waiting.ended()).code, 1, waiting.output)
    assert.match(waiting.stdout, /NOT SERVED/)
    assert.doesNotMatch(waiting.stdout, /all agreed/)

    // Waiting would help nothing: no server can migrate it.
    const beacons = 'beacons.lighthouse.example.dev'
    for (const flags of [[], ['--dry-run']]) {
      const where = ['--kubeconfig', fleet.kubeconfig, '--context', 'b']
      const hopeless = new StrataProcess('migrate', ['migrate', beacons, ...flags, ...where])
      fleet.processes.push(hopeless)
      assert.equal((await hopeless.ended()).code, 5, hopeless.output)
      assert.match(
        hopeless.stdout,
        /: no server can decode lighthouse\.example\.dev\/v2, so no server serves it; start a server of a release that reads v1 and v2 and writes v1, then run "strata migrate beacons\.lighthouse\.example\.dev"/,
      )
      assert.doesNotMatch(hopeless.output, /waiting/)
    }

    // Reads both, and writes v1.
    await fleet.start('c', 'x+1')
    const access = ['--kubeconfig', fleet.kubeconfig, '--context', 'c']
    const migrate = new StrataProcess('migrate', ['migrate', beacons, ...access])
    fleet.processes.push(migrate)
    assert.equal((await migrate.ended()).code, 0, migrate.output)
    const served = await until('the old release serves it', async () => {
      const answer = await ask(fleet.transport('b'), 'GET', beaconPath('v1'))
      return answer.status === 200 ? answer : undefined
    })
    assert.equal(served.body.items.length, 3)
    await until('it is ready', async () => (await ask(fleet.transport('b'), 'GET', '/readyz')).status === 200)
    // Its Lease says so a moment after it serves again.
    const after = await until('all is well', async () => {
      const seen = await fleet.status('b')
      return seen.code === 0 ? seen : undefined
    })
    assert.deepEqual([after.agreed, after.refusals], [true, []])
    assert.ok(old.running)
  })
})

test('upgrade safety, with processes: what strata up tells people to give is a flag of its own', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    const newest = await fleet.start('a', 'x+3')
    await ask(fleet.transport('a'), 'POST', beaconPath('v2'), beacon('v2', 'one', 5))
    await newest.terminate()

    const start = ['--servers', '1', '--port', '0', '--data-dir', fleet.directory]
    const up = (...more: string[]): StrataProcess => {
      const args = ['up', ...start, '--resources', lighthouseModule, '--release', 'x', ...more]
      const started = new StrataProcess('up', args)
      fleet.processes.push(started)
      return started
    }
    const refused = up()
    assert.equal((await refused.ended()).code, 1, refused.output)
    const [advice = ''] = /--allow-undecodable-storage=[a-z.]+/.exec(refused.output) ?? []
    const allowed = up(advice)
    const isUp = (): boolean => allowed.stdout.includes('The fleet is up') || !allowed.running
    await until('the fleet is up', isUp, { giveUpMs: 60_000 })
    assert.ok(allowed.running, allowed.output)
    allowed.signal('SIGINT')
    assert.equal((await allowed.ended()).code, 0, allowed.output)
  })
})
