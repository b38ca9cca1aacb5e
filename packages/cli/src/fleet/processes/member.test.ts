import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deadline, silentLog, sleep } from '@strata/world'
import { createNodeTransport, createNodeWorld } from '@strata/world/node'
import type { CliContext } from '../../context.ts'
import { type Member, startMember } from './member.ts'
import { untilReady } from './until-ready.ts'

/** Prints a text, and runs until it is killed. */
const program = 'console.log(process.argv[2]); setInterval(() => {}, 1_000_000)'

describe('a member of a fleet', () => {
  const world = createNodeWorld({ log: silentLog })
  const members: Member[] = []
  let home = ''
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-member-'))
    await writeFile(join(home, 'program.mjs'), program)
  })
  after(async () => {
    const hurry = deadline(world.clock, 5_000)
    await Promise.all(members.map((each) => each.stop(hurry.signal)))
    hurry.dispose()
    await rm(home, { recursive: true, force: true })
  })

  test('is quoted with what it has said since it was started, not with what an earlier run said', async () => {
    const logFile = join(home, 'server.log')
    await writeFile(logFile, 'strata: an option of yesterday was wrong\n')
    const spoken = Promise.withResolvers<void>()
    // The minute is over when the program has spoken.
    const after = (delayMs: number, callback: () => void) => {
      if (delayMs < 60_000) return world.clock.after(delayMs, callback)
      void spoken.promise.then(callback)
      return () => {}
    }
    const context: CliContext = {
      world: { ...world, clock: { ...world.clock, after } },
      signal: new AbortController().signal,
      environment: {},
      print: () => {},
      isTerminal: false,
      screen: undefined,
      execPath: process.execPath,
      entry: join(home, 'program.mjs'),
    }
    const member = startMember(context, { name: 'one', args: ['a word of today'], logFile })
    members.push(member)
    const transport = createNodeTransport({ server: 'https://127.0.0.1:1' })
    const server = { member, transport, logFile }
    const ready = untilReady(server, context, () => {})
    const isSpoken = async (): Promise<boolean> => (await readFile(logFile, 'utf8')).includes('today')
    const look = async (): Promise<void> => {
      if (await isSpoken()) spoken.resolve()
      else world.clock.after(20, () => void look())
    }
    await look()
    await assert.rejects(ready, {
      message: `one did not become ready within a minute: a word of today (log: ${logFile})`,
    })
  })

  test('that was killed is started again, and its new pid is printed', async () => {
    const logFile = join(home, 'killed.log')
    const said: string[] = []
    const context = {
      ...{ world, signal: new AbortController().signal, environment: {} },
      ...{ isTerminal: false, screen: undefined, print: (text) => said.push(text) },
      ...{ execPath: process.execPath, entry: join(home, 'program.mjs') },
    } satisfies CliContext
    const again = Promise.withResolvers<void>()
    const member = startMember(context, { name: 'two', args: ['hello'], logFile }, ({ kind }) => {
      if (kind === 'started again') again.resolve()
    })
    members.push(member)
    member.markReady()
    const { pid = 0 } = member
    member.signal('SIGKILL')
    await again.promise
    assert.notEqual(member.pid, pid)
    assert.deepEqual(said, [
      `two was ended by SIGKILL; starting it again (log: ${logFile})`,
      `two was started again (pid ${member.pid})`,
    ])
  })

  test('that is frozen ends when its parent is killed', async () => {
    const entry = join(home, 'frozen.mjs')
    await writeFile(entry, 'process.on("disconnect", () => process.exit())')
    const options = { name: 'three', args: [], logFile: join(home, 'frozen.log') }
    const script = `
      import { startMember } from ${JSON.stringify(import.meta.resolve('./member.ts'))}
      const context = { execPath: process.execPath, entry: ${JSON.stringify(entry)}, print: () => {} }
      const member = startMember(context, ${JSON.stringify(options)})
      member.signal('SIGSTOP')
      console.log(member.pid)
      setInterval(() => {}, 1_000_000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    const isRunning = (): boolean => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    try {
      assert.ok(isRunning())
      parent.kill('SIGKILL')
      for (let left = 400; isRunning() && left > 0; left--) await sleep(world.clock, 25)
      assert.ok(!isRunning())
    } finally {
      if (isRunning()) process.kill(pid, 'SIGKILL')
    }
  })
})
