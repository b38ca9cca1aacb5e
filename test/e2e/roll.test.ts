import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { type UpFleet, type UpState, withUpFleet } from '../support/up-process.ts'

const releases = ({ servers }: UpState): string[] => servers.map(({ release }) => release)

/** The load goes on through every step. */
async function untilWritten(fleet: UpFleet, more: number): Promise<void> {
  const before = (await fleet.state()).load?.written ?? 0
  await until(
    `${more} more writes are acknowledged`,
    async () => ((await fleet.state()).load?.written ?? 0) >= before + more,
    { giveUpMs: 60_000 },
  )
}

test('roll: forward, paused, back, over a broken server, and to the end, while clients write', async () => {
  await withUpFleet(['--release', 'x+1'], async (fleet) => {
    const { strata } = fleet
    assert.equal((await strata('playground', 'load', '30')).exit.code, 0)

    // Without a terminal to ask, --one-by-one ends half-way.
    const half = await strata('roll', '--to', 'x+2', '--one-by-one')
    assert.equal(half.exit.code, 3, half.output)
    assert.match(half.output, /paused, 1 of 3 run x\+2: strata-2 is next/)
    const paused = await fleet.state()
    assert.deepEqual(releases(paused), ['x+2', 'x+1', 'x+1'])
    const further = await strata('roll', '--resume', '--one-by-one')
    assert.equal(further.exit.code, 3, further.output)
    assert.deepEqual(releases(await fleet.state()), ['x+2', 'x+2', 'x+1'])
    const elsewhere = await strata('roll', '--to', 'x+3')
    assert.equal(elsewhere.exit.code, 1)
    assert.match(elsewhere.output, /strata: a roll from x\+1 to x\+2 is paused: resume it, or go back, first/)
    await untilWritten(fleet, 20)

    const back = await strata('roll', '--back')
    assert.equal(back.exit.code, 0, back.output)
    assert.deepEqual(releases(await fleet.state()), ['x+1', 'x+1', 'x+1'])

    // A pause also ends a roll that waits for a frozen server, and the command that follows it.
    assert.equal((await strata('playground', 'freeze', 'strata-3')).exit.code, 0)
    const rolling = fleet.start('roll', '--to', 'x+2')
    await until(
      'the frozen server is left',
      () => rolling.output.includes('strata-3 is frozen: it') || !rolling.running,
      {
        giveUpMs: 60_000,
      },
    )
    const pause = await strata('roll', '--pause')
    assert.equal(pause.exit.code, 0, pause.output)
    assert.equal((await rolling.ended()).code, 3, rolling.output)
    assert.deepEqual(releases(await fleet.state()), ['x+2', 'x+2', 'x+1'])
    assert.equal((await strata('playground', 'thaw', 'strata-3')).exit.code, 0)

    // The roll waits for a server that was killed.
    const crashed = await strata('playground', 'crash', 'strata-3')
    assert.equal(crashed.exit.code, 0)
    assert.match(crashed.stdout, /^strata-3\s.*\b(?:crashed|starting)\b/m)
    const whole = await strata('roll', '--resume', '-o', 'json')
    assert.equal(whole.exit.code, 0, whole.output)
    const done: UpState = JSON.parse(whole.stdout)
    assert.deepEqual(releases(done), ['x+2', 'x+2', 'x+2'])
    assert.deepEqual([done.roll?.state, done.roll?.step], ['done', 3])
    await untilWritten(fleet, 20)
    const status = await strata('playground', 'load', '0')
    assert.equal(status.exit.code, 0, status.output)

    await assertGuarded(fleet)
    fleet.up.signal('SIGINT')
    assert.equal((await fleet.up.ended()).code, 0, fleet.up.output)
    const gone = await strata('roll', '--back')
    assert.equal(gone.exit.code, 5)
    assert.match(gone.output, /strata: no fleet runs in .*: start one with "strata up"/)
  })
})

/** Only its user reaches the control, and only with the secret of this run. */
async function assertGuarded({ dataDir, strata }: UpFleet): Promise<void> {
  const file = join(dataDir, 'control.json')
  for (const path of [file, join(dataDir, 'control.sock')])
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  const access = await readFile(file, 'utf8')
  await writeFile(file, JSON.stringify({ ...JSON.parse(access), secret: 'of another run' }))
  const refused = await strata('playground', 'show')
  assert.equal(refused.exit.code, 1)
  assert.match(refused.output, /Unauthorized/)
}
