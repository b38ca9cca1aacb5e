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
import { isRunByNpm, watchNpm } from '../../packages/cli/bin/npm-parent.mjs'
import { findPinnedNode } from '../../packages/cli/bin/pinned-node.mjs'
import { root } from '../repository.ts'
import { areDependenciesInstalled, arePackagesInstalled } from './dependencies.mjs'
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
  test('an empty directory has not', () => {
    assert.equal(areDependenciesInstalled(home), false)
    assert.equal(arePackagesInstalled(home), false)
  })
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

  test('sees that we were killed', async () => {
    const child = start(
      `process.on('disconnect', () => process.stdout.write('alone'))
       process.stdout.write('ready')`,
    )
    const output = child.stdout as NodeJS.ReadableStream
    await once(output, 'data')
    child.kill('SIGKILL')
    assert.equal(String(await once(output, 'data')), 'alone')
    await once(output, 'end')
  })

  test('that dies of a signal is reported as shells do', async () => {
    const [code] = await once(start(`process.kill(process.pid, 'SIGKILL')`), 'exit')
    assert.equal(code, 137)
  })
})

describe('npm before us', () => {
  const cases: ReadonlyArray<[script: string | undefined, want: boolean]> = [
    [undefined, false],
    ["'strata'", true],
    ['"strata"', true],
    ['strata', true],
    ['strata serve --data-dir .strata/demo', true],
    ['strata serve --data-dir x &', false],
    ['strata serve & wait', false],
    ['strata serve > log', false],
    ["sh -c 'strata serve &'", false],
    ['nohup strata serve', false],
    ['stratagem', false],
    ["'strata", false],
  ]
  for (const [script, want] of cases) {
    test(`runs ${want ? 'us and nothing else' : 'something else, or nothing'}: ${script}`, () => {
      assert.equal(isRunByNpm(script === undefined ? {} : { npm_lifecycle_script: script }), want)
    })
  }

  const ends: ReadonlyArray<[name: string, last: { parentId: number; npmId: number | undefined }]> = [
    ['its shell ends', { parentId: 1, npmId: undefined }],
    ['npm is killed, and its shell stays', { parentId: 5, npmId: 1 }],
  ]
  for (const [name, last] of ends) {
    test(`is told of when ${name}`, async () => {
      let before: { parentId: number; npmId: number | undefined } = { parentId: 5, npmId: 4 }
      // The watch keeps nobody alive; this test has to.
      const awake = setInterval(() => {}, 1000)
      let isGone = false
      const gone = new Promise<void>((resolve) => {
        watchNpm(
          () => {
            isGone = true
            resolve()
          },
          () => before,
          5,
        )
      })
      await new Promise((resolve) => setTimeout(resolve, 50))
      assert.equal(isGone, false)
      before = last
      await gone
      clearInterval(awake)
    })
  }

  test('has us tell the program that runs in our place', async () => {
    const program = script(
      'alone.mjs',
      `import { runProgram } from '${join(root, 'packages/cli/bin/run-program.mjs')}'
       const alone = new AbortController()
       setTimeout(() => alone.abort(), 300)
       process.exitCode = await runProgram(process.execPath, process.argv.slice(2), { alone: alone.signal })`,
    )
    const inner = script(
      'left.mjs',
      `process.on('disconnect', () => process.exit(9))
       setTimeout(() => process.exit(1), 30_000)`,
    )
    const [code] = await once(spawn(process.execPath, [program, inner], { stdio: 'inherit' }), 'exit')
    assert.equal(code, 9)
  })
})
