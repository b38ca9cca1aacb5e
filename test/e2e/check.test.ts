import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { lighthouseModule, StrataProcess } from '../support/serve-process.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

async function check(fleet: LiveFleet, ...args: readonly string[]) {
  const access = ['--kubeconfig', fleet.kubeconfig, '--context', 'a']
  const process = new StrataProcess('check', ['check', ...access, ...args])
  fleet.processes.push(process)
  const { code } = await process.ended()
  return { code, stdout: process.stdout, output: process.output }
}

test('strata check, with processes: asks Strata, looks around elsewhere, and every answer has its exit code', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', 'x+1', { kubeconfigOut: join(fleet.directory, 'out.kubeconfig') })
    const created = await ask(fleet.transport('a'), 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
    assert.equal(created.status, 201)

    // The context is called by the server: kubeconfigs of several can be merged.
    const { contexts } = JSON.parse(await readFile(join(fleet.directory, 'out.kubeconfig'), 'utf8'))
    assert.deepEqual(
      contexts.map((each: { name: string }) => each.name),
      ['a'],
    )

    const safe = await check(fleet, '--to', 'x')
    assert.equal(safe.code, 0, safe.output)
    assert.match(safe.stdout, /^Safe: x can read everything that is stored/)
    const unsafe = await check(fleet, '--to', 'x+3')
    assert.equal(unsafe.code, 1, unsafe.output)
    assert.match(unsafe.stdout, /^beacons\.lighthouse\.example\.dev +UNSAFE +v1 +v2 /m)
    const json = await check(fleet, '--to', 'x+3', 'Beacon', '-o', 'json')
    const { verdict, how, resources } = JSON.parse(json.stdout)
    assert.deepEqual(
      [json.code, verdict, how, resources.length, resources[0].missing],
      [1, 'Unsafe', 'UpgradeReview', 1, ['lighthouse.example.dev/v1']],
    )
    const unknown = await check(fleet, '--to', 'y')
    assert.equal(unknown.code, 2, unknown.output)
    assert.match(
      unknown.output,
      /--to y: the server does not know this release, and no server of the fleet runs it; known: .*x\+1.*--resources or --decodable/,
    )
    const mistyped = await check(fleet, '--decodable', 'x')
    assert.equal(mistyped.code, 2, mistyped.output)
    // To have said what it reads of one resource is to have said nothing of the others.
    const name = 'beacons.lighthouse.example.dev'
    const given = await check(fleet, '--to', 'mine', '--decodable', `${name}=v1`)
    assert.equal(given.code, 6, given.output)
    assert.match(given.stdout, /^configmaps +could not see/m)
    assert.doesNotMatch(given.stdout, /^beacons/m)
    const named = await check(fleet, '--to', 'mine', '--decodable', `${name}=v1`, name)
    assert.equal(named.code, 0, named.output)
    assert.match(named.stdout, /^Safe: mine can read everything that is stored of the named resources: 1\./m)

    // What the program at hand knows, whatever runs: its own version, and releases of modules.
    const own = await check(fleet, '--to', '0.1.0')
    assert.equal(own.code, 6, own.output)
    assert.match(
      own.stdout,
      /^beacons\.lighthouse\.example\.dev +could not see +v1 +- +what the target can read is not known: no server of 0\.1\.0 is part of the fleet; give --decodable beacons\.lighthouse\.example\.dev=… /m,
    )
    const modules = ['--resources', lighthouseModule]
    const kinds = await check(fleet, '--to', 'x+2', ...modules)
    assert.equal(kinds.code, 0, kinds.output)
    const last = await check(fleet, '--to', 'x+3', ...modules, '-o', 'json')
    assert.deepEqual([last.code, JSON.parse(last.stdout).resources[0].resource], [1, 'beacons'])
    const withModules = await check(fleet, '--to', 'y', ...modules)
    assert.equal(withModules.code, 2, withModules.output)
    assert.match(withModules.output, /--to y: no kind has this release; known: 0\.1\.0, x, x\+1/)

    // A server of that release is part of the fleet, and tells of its kinds in the records.
    await fleet.restart('a', '')
    const running = await check(fleet, '--to', '0.1.0')
    assert.equal(running.code, 0, running.output)

    // A cluster that knows nothing of such questions.
    await fleet.server('a').terminate()
    await fleet.start('a', 'x+1', { runtimeConfig: 'strata.dev/v1alpha1=false' })
    const elsewhere = await check(fleet, '--to', 'x+3', '-v')
    assert.equal(elsewhere.code, 7, elsewhere.output)
    assert.match(elsewhere.stdout, /^Unknown release: x\+3 is not in the table/m)
    assert.match(elsewhere.stdout, /configmaps +could not see/)
    assert.match(elsewhere.stdout, /^Could not see \(-v lists all\): \d+ resources /m)
    const file = join(fleet.directory, 'decodable.yaml')
    await writeFile(file, 'beacons.lighthouse.example.dev: [v2]\n')
    const no = await check(fleet, '--to', 'x+3', '--decodable-file', file, 'beacons')
    assert.equal(no.code, 1, no.output)
    await fleet.server('a').terminate()
    const silent = await check(fleet, '--to', 'x+3')
    assert.equal(silent.code, 5, silent.output)
  })
})
