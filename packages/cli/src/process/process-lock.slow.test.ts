import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Processes } from '@strata/world'
import { createNodeProcesses } from '@strata/world/node'
import { type LockOutcome, lockFile } from './process-lock.ts'

const scale = Math.max(1, Number(process.env.STRATA_TEST_SCALE ?? 1))
const racer = fileURLToPath(new URL('lock-racer-for-test.ts', import.meta.url))

test('lock: processes race for it and are killed while they hold it, and only one holds it at a time', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'strata-race-'))
  const [lock, journal] = [join(home, 'x.lock'), join(home, 'journal')]
  writeFileSync(journal, '')
  const racers = new Map<number, ChildProcess>()
  const start = (): void => {
    const child = spawn(process.execPath, [racer, lock, journal], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (child.pid !== undefined) racers.set(child.pid, child)
  }
  const kill = async (pid: number): Promise<void> => {
    const child = racers.get(pid)
    racers.delete(pid)
    if (!child) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  t.after(async () => {
    for (const pid of [...racers.keys()]) await kill(pid)
    rmSync(home, { recursive: true, force: true })
  })
  const read = (): string[] => readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  for (let each = 0; each < 4; each++) start()

  const killed = new Set<number>()
  const endMs = performance.now() + 60_000 * scale
  while (killed.size < 8 * scale) {
    assert.ok(performance.now() < endMs, `no process gets the lock after ${killed.size} were killed`)
    const [word, pid = ''] = read().at(-1)?.split(' ') ?? []
    if (word === 'in' && racers.has(Number(pid))) {
      killed.add(Number(pid))
      await kill(Number(pid))
      start()
    }
    await pause(1)
  }
  assert.deepEqual(overlaps(read(), killed), [])
})

test('lock: after its holder was killed, exactly one of three processes gets it, at every interleaving', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'strata-steps-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const left = join(home, 'left')
  fs.mkdirSync(left)
  await killHolder(join(left, 'x.lock'), join(home, 'journal'))
  const steps = 12
  for (let first = 1; first < steps; first++) {
    for (let second = first; second < steps; second++) {
      const directory = join(home, `${first}-${second}`)
      cpSync(left, directory, { recursive: true })
      const held = whoHolds(join(directory, 'x.lock'), [first, second])
      for (const each of held) each.release()
      assert.equal(held.length, 1, `the others came after steps ${first} and ${second}`)
    }
  }
})

type Held = LockOutcome & { readonly kind: 'held' }

/** One process takes the lock; after some of its file system calls, another one tries to. */
function whoHolds(lock: string, comesAfter: readonly number[]): readonly Held[] {
  const held: Held[] = []
  const actual = createNodeProcesses()
  let isWatched = false
  let step = 0
  let others = 0
  const stepped = (): void => {
    if (!isWatched) return
    step++
    isWatched = false
    for (const after of comesAfter) if (after === step) take(2 + others++)
    isWatched = true
  }
  const processesOf = (pid: number): Processes => ({
    ...{ self: { ...actual.self, pid: 1_000_000_000 + pid }, hostname: actual.hostname },
    // This call is a step, too: it comes after the holder file was read, and before the result is used.
    isGone: (mark) => {
      const isGone = mark.pid < 1_000_000_000 && actual.isGone(mark)
      stepped()
      return isGone
    },
  })
  const take = (pid: number): void => {
    const outcome = lockFile(lock, processesOf(pid))
    if (outcome.kind === 'held') held.push(outcome)
  }
  const restore = afterEachStep(stepped)
  try {
    isWatched = true
    take(1)
    isWatched = false
  } finally {
    restore()
  }
  return held
}

const stepNames = ['linkSync', 'readFileSync', 'renameSync', 'rmSync', 'writeFileSync'] as const

function afterEachStep(stepped: () => void): () => void {
  const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  const originals = stepNames.map((name) => [name, functions[name]] as const)
  for (const [name, original] of originals) {
    functions[name] = (...args) => {
      const result = original?.(...args)
      stepped()
      return result
    }
  }
  syncBuiltinESMExports()
  return () => {
    for (const [name, original] of originals) if (original) functions[name] = original
    syncBuiltinESMExports()
  }
}

async function killHolder(lock: string, journal: string): Promise<void> {
  writeFileSync(journal, '')
  const child = spawn(process.execPath, [racer, lock, journal, 'once'], { stdio: 'inherit' })
  const gone = once(child, 'exit')
  while (readFileSync(journal, 'utf8') === '') await pause(5)
  child.kill('SIGKILL')
  await gone
}

/** The processes that got the lock while a live process held it. */
function overlaps(lines: readonly string[], killed: ReadonlySet<number>): readonly string[] {
  const lastLine = new Map(lines.map((line, at) => [line.split(' ')[1], at]))
  const found: string[] = []
  let inside: string | undefined
  lines.forEach((line, at) => {
    const [word, pid] = line.split(' ')
    // A process that was killed while it held the lock has logged nothing since.
    const isOver = inside !== undefined && killed.has(Number(inside)) && (lastLine.get(inside) ?? 0) < at
    if (word === 'in' && inside !== undefined && !isOver) found.push(`${at}: ${pid} beside ${inside}`)
    if (word === 'out' && inside !== pid) found.push(`${at}: ${pid} came out, and ${inside} was inside`)
    inside = word === 'in' ? pid : undefined
  })
  return found
}
