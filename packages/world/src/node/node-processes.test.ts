import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { createNodeProcesses } from './node-processes.ts'
import { parseProcStat } from './proc-stat.ts'

const linuxOnly = { skip: process.platform === 'linux' ? false : 'proof needs /proc' }
const statTail = (state: string): string => `${state} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21`

const cases: ReadonlyArray<[name: string, text: string, want: ReturnType<typeof parseProcStat>]> = [
  ['a plain name', `9 (node) ${statTail('S')}`, { startTicks: '777', isDead: false }],
  [
    'a name with spaces and parentheses',
    `9 (a) R (b c) ${statTail('S')}`,
    { startTicks: '777', isDead: false },
  ],
  ['a zombie', `9 (node) ${statTail('Z')}`, { startTicks: '777', isDead: true }],
  ['a text cut short', '9 (node) S 1 2', undefined],
  ['something else', 'nonsense', undefined],
]
for (const [name, text, want] of cases) {
  test(`proc stat: reads ${name}`, () => assert.deepEqual(parseProcStat(text), want))
}

/** A child that really runs: it has printed something. */
async function startChild() {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)'])
  await once(child.stdout, 'data')
  const { pid } = child
  assert.ok(pid)
  const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  assert.ok(stat)
  return { child, mark: { ...createNodeProcesses().self, pid, startTicks: stat.startTicks } }
}

test('processes: we are not gone', linuxOnly, () => {
  const { self, isGone } = createNodeProcesses()
  assert.equal(isGone(self), false)
  assert.match(self.bootId, /^[0-9a-f-]{36}\/pid:\[\d+\]$/)
})

test(
  'processes: a child is gone after kill -9 and not before, not even when stopped',
  linuxOnly,
  async (t) => {
    const { child, mark } = await startChild()
    t.after(() => child.kill('SIGKILL'))
    const { isGone } = createNodeProcesses()
    assert.equal(isGone(mark), false)
    child.kill('SIGSTOP')
    assert.equal(isGone(mark), false)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    assert.equal(isGone(mark), true)
  },
)

test('processes: a reused pid proves that the first owner is gone', linuxOnly, () => {
  const { self, isGone } = createNodeProcesses()
  assert.equal(isGone({ ...self, startTicks: '1' }), true)
})

test(
  'processes: nothing is proved about another boot, a group of processes, or a mark without a start',
  linuxOnly,
  async (t) => {
    const { child, mark } = await startChild()
    t.after(() => child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    const { isGone } = createNodeProcesses()
    assert.equal(isGone({ ...mark, bootId: 'another' }), false)
    assert.equal(isGone({ ...mark, startTicks: '' }), false)
    assert.equal(isGone({ ...mark, pid: 0 }), false)
    assert.equal(isGone({ ...mark, pid: -1 }), false)
  },
)

/** Polls on each turn of the loop: the kernel sends no notification about these things. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

test('processes: a zombie is gone although its pid is still there', linuxOnly, async (t) => {
  // The shell starts a child and then becomes a program that never asks for its exit code. The child
  // ends only after that, when its input does: a shell would have asked.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 1000'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  t.after(() => parent.kill('SIGKILL'))
  const [, output, , input] = parent.stdio
  assert.ok(output && input instanceof Writable)
  const [printed] = (await once(output, 'data')) as [Buffer]
  const pid = Number(printed.toString())
  const observe = () => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const startTicks = observe()?.startTicks
  assert.ok(startTicks)
  const { self, isGone } = createNodeProcesses()
  const mark = { ...self, pid, startTicks }
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep')
  assert.equal(isGone(mark), false)
  input.end()
  await until(() => observe()?.isDead === true)
  assert.equal(isGone(mark), true)
})
