import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kubectl } from '../support/kubectl.ts'
import { until } from '../support/until.ts'
import { type UpFleet, withUpFleet } from '../support/up-process.ts'

const onTheFleet = ['upgrade', 'fence', 'migrate', 'skipped-release']
const onTheirOwn = ['vote', 'rotate-key']

/** Plays scenes one after the other. What they say is for people; the verdict counts. */
async function play({ strata }: UpFleet, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { exit, output, stdout } = await strata(
      ...['playground', 'scene', name, '--yes', '--servers', '2', '-o', 'json'],
    )
    assert.equal(exit.code, 0, `${name}:\n${output}`)
    const { state, sentence, steps, tookMs } = JSON.parse(stdout)
    assert.equal(state, 'proven', output)
    assert.ok(sentence.length > 0)
    for (const step of steps) assert.deepEqual([step.state, step.tookMs > 0], ['done', true], output)
    process.stdout.write(`scene ${name}: ${(tookMs / 1000).toFixed(1)} s\n`)
  }
}

/** What a scene may not change for good. */
async function seeFleet({ kubeconfig, dataDir, state }: UpFleet) {
  const { servers, load } = await state()
  const crds = await kubectl(['get', 'crds,beacons', '-A', '-o', 'name'], { kubeconfig, home: dataDir })
  return {
    servers: servers.map(({ name, release, state: is }) => `${name} ${release} ${is}`),
    writesPerSecond: load?.writesPerSecond ?? 0,
    objects: crds.stdout,
  }
}

test('scenes: each shows what it promises, and leaves the fleet as it was', async () => {
  await withUpFleet(['--release', 'x+1', '--servers', '2'], async (fleet) => {
    const before = await seeFleet(fleet)
    await Promise.all([play(fleet, onTheFleet), play(fleet, onTheirOwn)])
    assert.deepEqual(await seeFleet(fleet), before)
    const { scenes } = await fleet.state()
    assert.deepEqual(
      scenes.map(({ name, state }) => `${name} ${state}`).toSorted(),
      [...onTheFleet, ...onTheirOwn].map((name) => `${name} proven`).toSorted(),
    )

    // Ctrl-C in the middle of the upgrade: it goes back all the same.
    const stopped = fleet.start('playground', 'scene', 'upgrade', '--yes')
    await until('the first server is upgraded', () => stopped.output.includes('3/3') || !stopped.running, {
      giveUpMs: 60_000,
    })
    stopped.signal('SIGINT')
    assert.equal((await stopped.ended()).code, 130, stopped.output)
    assert.deepEqual(await seeFleet(fleet), before, stopped.output)

    const unknown = await fleet.strata('playground', 'scene', 'no-such')
    assert.equal(unknown.exit.code, 2)
    assert.match(unknown.output, /no scene "no-such"; there are upgrade, vote, fence/)
  })
})
