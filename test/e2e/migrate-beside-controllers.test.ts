import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { Desk, lampsName } from './lamps.ts'
import { withLiveFleet } from './live-fleet.ts'

const count = 900
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

    // No controller runs it: the command does.
    await desk.mustKubectl(['create', '-f', '-'], asked)
    // So slowly that it is in the middle for five minutes, however long the rest takes on a busy machine. It is alive all the
    // while: of a process that stands still, the controllers take the migration over after some seconds.
    const stopped = desk.strata('migrate', 'lamps', '--through-api', '--page-size', '20', '--qps', '3')
    await until('it goes on with it', () => stopped.output.includes('resuming'), { giveUpMs: 60_000 })
    assert.match(stopped.output, /resuming storageversionmigrations\.storagemigration\.k8s\.io\/asked-for/)
    const controllers = fleet.controllers('a')
    const isInTheMiddle = async (): Promise<boolean> => {
      const { stdout } = await desk.kubectl([
        'get',
        'storageversionmigrations.storagemigration.k8s.io',
        'asked-for',
        '-o',
        'jsonpath={.status.percent}',
      ])
      return Number(stdout) > 0
    }
    await until('it is in the middle', isInTheMiddle, { giveUpMs: 60_000 })
    // A second command watches it; one that stops it stops both.
    const follower = desk.strata('migrate', 'lamps')
    await until('the second watches', () => follower.output.includes('following'), { giveUpMs: 60_000 })
    stopped.signal('SIGINT')
    assert.equal((await stopped.ended()).code, 130, stopped.output)
    assert.equal((await follower.ended()).code, 130, follower.output)
    assert.match(follower.stdout, /it was paused\n {2}Resume it where it stopped: strata migrate lamps\./)
    assert.match(
      follower.stdout,
      /Or let the controllers resume it: kubectl annotate .*asked-for strata\.dev\/paused- --kubeconfig \S+$/m,
    )
    const handOver = /Or let the controllers resume it: kubectl (.*)$/m.exec(stopped.stdout)?.[1] ?? ''
    assert.match(
      handOver,
      /^annotate storageversionmigrations\.storagemigration\.k8s\.io\/asked-for strata\.dev\/paused- --kubeconfig \S+$/,
    )

    const table = await desk.mustKubectl(['get', 'storageversionmigrations.storagemigration.k8s.io'])
    assert.match(table, /^asked-for\s+lamps\.light\.example\.dev\s+Paused/m)

    // Handed over, the controllers bring it to its end; a command watches them.
    await desk.mustKubectl(handOver.split(' '))
    const watching = await desk.ran('migrate', 'lamps', '-o', 'json')
    t.diagnostic(watching.said)
    assert.equal(watching.code, 0, watching.said)
    assert.deepEqual(await desk.stored(), inV2)
    const verified = await desk.ran('verify', lampsName)
    assert.equal(verified.code, 0, verified.said)

    // To ask for one that is paused is to want it to go on.
    const annotations = { 'strata.dev/paused': 'yes' }
    await desk.mustKubectl(['create', '-f', '-'], { ...asked, metadata: { name: 'paused', annotations } })
    const resumed = await desk.ran('migrate', 'lamps', '--no-wait')
    assert.equal(resumed.code, 6, resumed.said)
    assert.match(resumed.said, /the pause was removed; left to the controllers: .*\/paused$/m)
    const all = ['get', 'storageversionmigrations.storagemigration.k8s.io']
    await until('it goes on', async () => /^paused .* Succeeded/m.test(await desk.mustKubectl(all)))

    const refused = await desk.ran('migrate', 'subjectaccessreviews')
    assert.equal(refused.code, 5, refused.said)
    assert.match(refused.said, /subjectaccessreviews\S* cannot be migrated: its objects cannot be listed/)
    const made = await desk.mustKubectl(['get', 'storageversionmigrations.migration.k8s.io', '-o', 'name'])
    assert.doesNotMatch(made, /subjectaccessreviews/)
    assert.ok(controllers.running)
  })
})
