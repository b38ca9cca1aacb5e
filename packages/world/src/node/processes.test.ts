import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseProcStat } from './proc-stat.ts'
import { createNodeProcesses } from './processes.ts'

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

test('processes: a zombie is gone although its pid is still there', linuxOnly, async (t) => {
  // The shell starts a child and then becomes a program that never asks for its exit code.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'])
  t.after(() => parent.kill('SIGKILL'))
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(printed.toString())
  const read = (): ReturnType<typeof parseProcStat> =>
    parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  let stat = read()
  while (stat && !stat.isDead) {
    await new Promise((resolve) => setImmediate(resolve))
    stat = read()
  }
  assert.ok(stat)
  const { self, isGone } = createNodeProcesses()
  assert.equal(isGone({ ...self, pid, startTicks: stat.startTicks }), true)
})
