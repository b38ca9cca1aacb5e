import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sleep } from '@strata/world'
import { ask } from '../support/ask.ts'
import { kubectl } from '../support/kubectl.ts'
import { StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { defineGadgets } from './gadgets.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

const beacons = 'beacons.lighthouse.example.dev'

/** Named by the kubeconfig alone: it has all servers, and whichever answers is asked. */
function status(fleet: LiveFleet, ...args: string[]): StrataProcess {
  const process = new StrataProcess('status', ['status', '--kubeconfig', fleet.kubeconfig, ...args])
  fleet.processes.push(process)
  return process
}

const says = (process: StrataProcess, what: RegExp): Promise<unknown> =>
  until(`status says ${what}`, async () => what.test(process.stdout) || undefined, { giveUpMs: 60_000 })

test('status --watch: an upgrade and its end, one line each, through servers that come and go', async (t) => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await Promise.all([fleet.start('a', 'x+1'), fleet.start('b', 'x+1')])
    const lines = status(fleet, '--watch')
    const documents = status(fleet, '--watch', '-o', 'json', 'beacons')
    await says(lines, /^\d\d:\d\d:\d\d all agreed: \d+ resources$/m)
    await says(documents, /"agreed":true/)

    // The initial state is known when the records have rested for a while; without it a change is not reported.
    await sleep(fleet.world.clock, 8_000)
    // The one that is looked through.
    await fleet.restart('a', 'x+2')
    await says(lines, /^\d\d:\d\d:\d\d a (?:joined, release x\+2|restarted, release x\+1 → x\+2)$/m)
    await says(
      lines,
      /beacons\.lighthouse\.example\.dev: (?:agreed v1|still disagreed|disagreed).*\(a encodes v2\).*: servers encode different versions \(v1, v2\)/,
    )

    await untilReported(fleet, 1)
    const late = status(fleet, '--until-agreed', '--timeout', '1s')
    assert.equal((await late.ended()).code, 1)
    assert.match(late.output, /timed out before all servers agreed/)
    const missing = status(fleet, 'lamps.example.dev', '--until-agreed', '--timeout', '1s')
    assert.equal((await missing.ended()).code, 1, 'it is waited for, and does not come')
    assert.match(
      missing.output,
      /before all servers agreed; there is no agreement record of lamps.example.dev/,
    )
    const mistyped = status(fleet, 'lamps.example.dev')
    assert.equal((await mistyped.ended()).code, 2)
    const atOnce = status(fleet, 'configmaps', '--until-agreed', '--timeout', '0')
    assert.equal((await atOnce.ended()).code, 0, 'what is so already has not to be waited for')
    const other = status(fleet, 'configmaps', '--until-agreed')
    assert.equal((await other.ended()).code, 0, 'what was asked for is agreed')
    const waiting = status(fleet, '--until-agreed', '--expected-servers', '2')
    await fleet.restart('b', 'x+2')
    assert.equal((await waiting.ended()).code, 0, waiting.output)
    assert.match(waiting.stdout, /all agreed: \d+ resources\n$/)
    await says(lines, /beacons\.lighthouse\.example\.dev: .*→ agreed v2/)
    await says(documents, /"agreedVersion":"lighthouse\.example\.dev\/v2"/)

    for (const process of [lines, documents]) {
      process.signal('SIGINT')
      assert.deepEqual(await process.ended(), { code: 0, signal: null })
    }
    t.diagnostic(`\n${lines.stdout}`)
    const seen = documents.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(seen.every(({ resources }) => resources.length === 1 && resources[0].resource === beacons))
    assert.ok(seen.length >= 3 && seen.length < 40, `${seen.length} documents`)
    assert.equal(seen.at(-1).agreed, true)
    await assertReported(fleet, t)
  })
})

/** A change is reported when it has settled. */
async function untilReported(fleet: LiveFleet, count: number): Promise<void> {
  const path = '/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DStorageAgreement'
  await until(
    `${count} are reported`,
    async () => (await ask(fleet.transport('a'), 'GET', path)).body.items.length >= count,
  )
}

/** The upgrade as Events: one for what was lost, one for what was reached, whichever server wrote them. */
async function assertReported(fleet: LiveFleet, t: TestContext): Promise<void> {
  const options = { kubeconfig: fleet.kubeconfig, home: fleet.directory }
  const about = ['--field-selector', 'involvedObject.kind=StorageAgreement']
  await untilReported(fleet, 2)
  const { stdout } = await kubectl(['get', 'events', ...about, '--sort-by=.lastTimestamp'], options)
  t.diagnostic(`\n${stdout}`)
  const name = 'lighthouse.example.dev.beacons'
  assert.match(
    stdout,
    /Warning +StorageVersionDisagreed +storageagreement\/lighthouse\.example\.dev\.beacons +beacons\./,
  )
  assert.match(
    stdout,
    /Normal +StorageVersionAgreed +storageagreement\/.* all servers write lighthouse\.example\.dev\/v2/,
  )
  const described = await kubectl(['describe', 'storageagreement', name], options)
  t.diagnostic(`\n${described.stdout.slice(described.stdout.indexOf('Events:'))}`)
  assert.match(described.stdout, /Events:.*Warning +StorageVersionDisagreed.*strata/s)
}

test('status: resources by name, every form, and what is not there', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', 'x+1')
    const brief = status(fleet)
    assert.equal((await brief.ended()).code, 0)
    assert.match(brief.stdout, /^S1 +a +x\+1 +apiserver-/m)
    assert.match(brief.stdout, /every resource: \d+ resources agreed \(--all lists them\)\.\n$/)
    assert.doesNotMatch(brief.stdout, /configmaps/)
    const named = status(fleet, 'Beacon', '-o', 'wide')
    assert.equal((await named.ended()).code, 0)
    assert.match(
      named.stdout,
      /^beacons\.lighthouse\.example\.dev +v1 +\w+ +\d+ +yes +v1 +- +v1 \(v2\) reports strict$/m,
    )
    const unknown = status(fleet, 'beacn')
    assert.equal((await unknown.ended()).code, 2)
    assert.match(unknown.output, /no agreement record of "beacn": "strata status --all" lists what there is/)
    // Called by its kind before there is one: which resource that is, is known when it comes.
    const coming = status(fleet, 'Gadget', '--until-agreed', '--timeout', '2m')
    await says(coming, /there is no agreement record of Gadget/)
    await defineGadgets(fleet.transport('a'), fleet.transport('a'))
    assert.equal((await coming.ended()).code, 0, coming.output)
  })
})

test('status: a server that is frozen is not waited for while there are others', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await Promise.all([fleet.start('a', 'x+1'), fleet.start('b', 'x+1')])
    fleet.server('a').signal('SIGSTOP')
    const seen = status(fleet, 'beacons')
    assert.equal((await seen.ended()).code, 0, seen.output)
    assert.match(seen.stdout, /^S2 +b +x\+1 /m)
    const alone = status(fleet, 'beacons', '--context', 'b')
    assert.equal((await alone.ended()).code, 0, alone.output)

    // The viewer gets a notice, however well the connection stands, and continues through another one.
    fleet.server('a').signal('SIGCONT')
    const lines = status(fleet, '--watch', '--context', 'a')
    const both = status(fleet, '--watch', '--context', 'a', '--context', 'b')
    await Promise.all([says(lines, /all agreed/), says(both, /all agreed/)])
    fleet.server('a').signal('SIGSTOP')
    const frozenMs = fleet.world.clock.monotonicMs()
    await says(lines, /cannot see the fleet, trying again: the server does not answer/)
    assert.ok(fleet.world.clock.monotonicMs() - frozenMs < 40_000, 'long before the next bookmark is missed')
    await fleet.start('c', 'x+1')
    await says(both, /^\d\d:\d\d:\d\d c joined/m)
    fleet.server('a').signal('SIGCONT')
    await says(lines, /the fleet is seen again/)
  })
})
