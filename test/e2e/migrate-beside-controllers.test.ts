import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { Desk, lampsName } from './lamps.ts'
import { withLiveFleet } from './live-fleet.ts'

const count = 300
const inV2 = { 'light.example.dev/v2': count }
const asked = {
  apiVersion: 'storagemigration.k8s.io/v1beta1',
  kind: 'StorageVersionMigration',
  metadata: { name: 'asked-for' },
  spec: { resource: { group: 'light.example.dev', resource: 'lamps' } },
}

test('migrate: beside controllers: what others have asked for is watched, what is held here is left alone', async (t) => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', 'x+2')
    const desk = new Desk(fleet)
    await desk.fill(count)
    assert.equal((await desk.switchTo('v2')).code, 0)

    // Nobody is there to do it: after a moment the command does.
    await desk.mustKubectl(['create', '-f', '-'], asked)
    const stopped = desk.strata(
      'migrate',
      'lamps',
      '--through-api',
      '--parallelism',
      '1',
      '--page-size',
      '20',
    )
    await until('it goes on with it', () => stopped.stdout.includes('going on with'), { giveUpMs: 60_000 })
    assert.match(stopped.stdout, /following storageversionmigrations\.storagemigration\.k8s\.io\/asked-for/)
    const controllers = fleet.controllers('a')
    await until('it has begun', async () => {
      const { stdout } = await desk.kubectl([
        'get',
        'storageversionmigrations.storagemigration.k8s.io',
        'asked-for',
        '-o',
        'jsonpath={.status.percent}',
      ])
      return Number(stdout) > 0
    })
    stopped.signal('SIGINT')
    assert.equal((await stopped.ended()).code, 130, stopped.output)
    const handOver = /Or have the controllers go on: kubectl (.*)$/m.exec(stopped.stdout)?.[1] ?? ''
    assert.match(
      handOver,
      /^annotate storageversionmigrations\.storagemigration\.k8s\.io\/asked-for strata\.dev\/paused-$/,
    )

    // Handed over, the controllers bring it to its end; a command watches them.
    await desk.mustKubectl(handOver.split(' '))
    const watching = await desk.ran('migrate', 'lamps', '-o', 'json')
    t.diagnostic(watching.said)
    assert.equal(watching.code, 0, watching.said)
    assert.deepEqual(await desk.stored(), inV2)
    const verified = await desk.ran('verify', lampsName)
    assert.equal(verified.code, 0, verified.said)
    assert.ok(controllers.running)
  })
})
