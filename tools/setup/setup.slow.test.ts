import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { findPinnedNode } from '../../packages/cli/bin/pinned-node.mjs'
import { root } from '../repository.ts'
import { areDependenciesInstalled } from './dependencies.mjs'
import { withLock } from './lock.mjs'

const home = mkdtempSync(join(tmpdir(), 'strata-setup-test-'))
after(() => rmSync(home, { recursive: true, force: true }))

const script = (name: string, text: string): string => {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}

describe('set-up lock', () => {
  test('many processes take turns', async () => {
    const lock = join(home, 'turns.lock')
    const log = join(home, 'turns.log')
    const program = script(
      'turns.mjs',
      `import { appendFileSync } from 'node:fs'
       import { withLock } from '${join(root, 'tools/setup/lock.mjs')}'
       await withLock('${lock}', async () => {
         appendFileSync('${log}', 'in ')
         await new Promise((resolve) => setTimeout(resolve, 20))
         appendFileSync('${log}', 'out ')
       })`,
    )
    const children = Array.from({ length: 6 }, () => spawn(process.execPath, [program], { stdio: 'ignore' }))
    for (const [code] of await Promise.all(children.map((child) => once(child, 'exit'))))
      assert.equal(code, 0)
    assert.equal(readFileSync(log, 'utf8'), 'in out '.repeat(6))
    assert.equal(existsSync(lock), false)
  })

  test('what a dead process left is taken over', async () => {
    const lock = join(home, 'abandoned.lock')
    const { pid } = spawnSync(process.execPath, ['--version'])
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(pid))
    assert.equal(await withLock(lock, () => 'done'), 'done')
    assert.equal(existsSync(lock), false)
  })

  test('is given back when the work fails', async () => {
    const lock = join(home, 'failing.lock')
    await assert.rejects(
      withLock(lock, () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal(existsSync(lock), false)
  })
})

describe('set-up dependencies', () => {
  test('this clone has what its lock file asks for', () => assert.equal(areDependenciesInstalled(root), true))
  test('an empty directory has not', () => assert.equal(areDependenciesInstalled(home), false))
})

describe('pinned node', () => {
  test('is found from any directory of the clone', () =>
    assert.match(findPinnedNode(join(root, 'packages', 'cli', 'bin')) ?? '', /bin\/node$/))
  test('is not made up for machines it is not packaged for', () =>
    assert.equal(findPinnedNode(root, 'sunos-x64'), undefined))
})

describe('a program run in our place', () => {
  const outer = script(
    'outer.mjs',
    `import { runProgram } from '${join(root, 'packages/cli/bin/run-program.mjs')}'
     process.exitCode = await runProgram(process.execPath, process.argv.slice(2))`,
  )
  const log = join(home, 'signals.log')
  const start = (text: string): ChildProcess =>
    spawn(process.execPath, [outer, script('inner.mjs', text)], { stdio: ['ignore', 'pipe', 'inherit'] })

  test('gives us its exit code', async () => {
    const [code] = await once(start('process.exitCode = 7'), 'exit')
    assert.equal(code, 7)
  })

  test('gets each signal once and may end in its own time', async () => {
    appendFileSync(log, '')
    const child = start(
      `import { appendFileSync } from 'node:fs'
       for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => appendFileSync('${log}', signal + ' '))
       process.on('SIGTERM', () => setTimeout(() => process.exit(0), 200))
       process.stdout.write('ready')
       setInterval(() => {}, 1000)`,
    )
    const exited = once(child, 'exit')
    await once(child.stdout as NodeJS.EventEmitter, 'data')
    child.kill('SIGTERM')
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
    assert.equal(readFileSync(log, 'utf8'), 'SIGTERM ')
  })

  test('that dies of a signal is reported as shells do', async () => {
    const [code] = await once(start(`process.kill(process.pid, 'SIGKILL')`), 'exit')
    assert.equal(code, 137)
  })
})
