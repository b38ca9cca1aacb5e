import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { childrenOf, isRunningWith } from '../support/child-processes.ts'
import { lighthouseModule, StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const beacons = `resources: ${lighthouseModule}`
const crds = join(import.meta.dirname, '../../examples/rehearsals/crds')
const widgets = `crds: { v1.0: ${crds}/v1.0.yaml, v1.1: ${crds}/v1.1.yaml, v1.2: ${crds}/v1.2.yaml }`

/** Runs `strata rehearse --live` with a temporary directory of its own, in which nothing may be left. */
async function withLive(
  steps: string,
  subject: string,
  body: (rehearse: StrataProcess, temporary: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-live-'))
  const temporary = await mkdtemp(join(directory, 'tmp-'))
  const file = join(directory, 'path.yaml')
  await writeFile(file, `servers: 2\n${subject}\nsteps:\n${steps}`)
  const environment = { TMPDIR: temporary }
  const args = ['rehearse', '--live', file, '-o', 'json']
  const rehearse = new StrataProcess('rehearse', args, undefined, { environment })
  const children = new Set<number>()
  try {
    await until('servers run', () => {
      if (!rehearse.running) return true
      for (const pid of childrenOf(rehearse.pid)) children.add(pid)
      return children.size === 2
    })
    await body(rehearse, temporary)
    assert.deepEqual(await readdir(temporary), [], 'its store and its logs')
    assert.deepEqual(
      [...children].filter((pid) => isRunningWith(pid, temporary)),
      [],
      'its servers',
    )
  } finally {
    await rehearse.kill()
    for (const pid of children) if (isRunningWith(pid, temporary)) process.kill(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
}

test('rehearse --live: real servers crash, are rolled and migrated, and nothing is left behind', async () => {
  const steps = `
  - { release: x+1, objects: 2 }
  - { crash: 2 }
  - { upgrade: x+2 }
  - { migrate: all }`
  await withLive(steps, beacons, async (rehearse) => {
    const { code } = await rehearse.ended()
    assert.equal(code, 0, rehearse.output)
    const [{ world, steps: played, events }] = JSON.parse(rehearse.stdout).rehearsals
    assert.equal(world, 'processes')
    const shown = played.map((each: { verdict: string; servers: { state: string }[] }) => [
      each.verdict,
      ...each.servers.map(({ state }) => state),
    ])
    const up = ['safe', 'up', 'up']
    assert.deepEqual(shown, [up, ['safe', 'up', 'down'], up, up])
    assert.deepEqual(played.at(-1).stored[0].versions, { 'lighthouse.example.dev/v2': 2 })
    assert.ok(
      events.some(({ text }: { text: string }) => text === 'server 2 starts release x+2, and is ready'),
    )
  })
})

test('rehearse --live: a server is late with a CRD, and the old version is pruned after it', async () => {
  const steps = `
  - { release: v1.0, objects: 1 }
  - { upgrade: v1.1, late: 2 }
  - { upgrade: v1.1 }
  - { migrate: all }
  - { prune: all }
  - { upgrade: v1.2 }`
  await withLive(steps, widgets, async (rehearse) => {
    const { code } = await rehearse.ended()
    assert.equal(code, 0, rehearse.output)
    const [{ steps: played }] = JSON.parse(rehearse.stdout).rehearsals
    const shown = played.map((each: { verdict: string; servers: { state: string }[] }) => [
      each.verdict,
      each.servers[1]?.state,
    ])
    const [up, late] = [
      ['safe', 'up'],
      ['safe', 'late'],
    ]
    assert.deepEqual(shown, [up, late, up, up, up, up])
    assert.deepEqual(played.at(-1).stored[0].storedVersions, ['v1'])
  })
})

test('rehearse --live: Ctrl-C ends its servers, and nothing is left behind', async () => {
  await withLive('  - { release: x+1, objects: 2 }\n  - { upgrade: x+2 }', beacons, async (rehearse) => {
    rehearse.signal('SIGINT')
    const { code } = await rehearse.ended()
    assert.equal(code, 130, rehearse.output)
  })
})
