import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { root } from './repository.ts'
import { runTests } from './run-tests.ts'
import type { Tally } from './tally.ts'

const home = mkdtempSync(join(tmpdir(), 'strata-run-tests-'))
after(() => rmSync(home, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(home, name)
  writeFileSync(path, `import { test, describe, beforeEach } from 'node:test'\n${text}`)
  return relative(root, path)
}

const run = (text: string, timeoutMs = 30_000): Promise<Tally & { printed: string }> =>
  runBatch([file('x.test.mjs', text)], timeoutMs)

async function runBatch(
  files: readonly string[],
  timeoutMs = 30_000,
): Promise<Tally & { printed: string; told: string[] }> {
  const told: string[] = []
  let printed = ''
  const print = (text: string): void => {
    printed += text
  }
  const { signal } = new AbortController()
  const onTiming = ({ path }: { path: string }): void => void told.push(path)
  const tally = await runTests({ batches: [files], concurrency: 1, timeoutMs, signal, print, onTiming })
  return { ...tally, printed, told }
}

test('run tests: counts what passed, failed and was skipped, and shows only what failed', async () => {
  const { printed, passed, failed, skipped } = await run(`
    test('good', () => {})
    test.skip('later', () => {})
    describe('all', () => test('bad', () => { throw new Error('because') }))`)
  assert.deepEqual([passed, failed, skipped], [1, 1, 1])
  assert.match(printed, /^FAIL .*\n\s+✗ bad .*\n\s+Error: because/)
  assert.doesNotMatch(printed, /good|✗ all/)
})

test('run tests: a file that cannot be loaded has failed', async () => {
  const { failed, printed } = await run(`import './nowhere.mjs'`)
  assert.equal(failed, 1)
  assert.match(printed, /Cannot find module/)
})

test('run tests: a file that ends badly after good tests has failed', async () => {
  const { passed, failed } = await run(`test('good', () => {}); process.exitCode = 3`)
  assert.deepEqual([passed, failed], [1, 1])
})

test('run tests: a file that hangs is ended, with all it started', async () => {
  // The child holds the output open: were it left alive, this would wait for it for ever.
  const { failed, printed } = await run(
    `import { spawn } from 'node:child_process'
     test('hangs', async () => {
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
       await new Promise(() => {})
     })`,
    2000,
  )
  assert.equal(failed, 1)
  assert.match(printed, /not done after 2 s/)
})

test('run tests: files that share a process are told one by one, and none sees what another does before each test', async () => {
  const a = file(
    'a.test.mjs',
    `beforeEach(() => { globalThis.seen = 'a' })
     describe('all', () => test('one', () => {}))
     test('two', () => {})`,
  )
  const b = file(
    'b.test.mjs',
    `test('three', () => { if (globalThis.seen !== 'a') throw new Error('a was first') })
     test('four', () => { globalThis.seen = 'b' })
     test('five', () => { if (globalThis.seen !== 'b') throw new Error('a was here') })
     test.skip('later', () => {})`,
  )
  const { passed, failed, skipped, printed, told } = await runBatch([a, b])
  assert.deepEqual([passed, failed, skipped], [5, 0, 1])
  assert.deepEqual(told, [a, b])
  assert.match(
    printed,
    /^ok .*a\.test\.mjs {2}2 passed, 0 failed .*\nok .*b\.test\.mjs {2}3 passed, 0 failed, 1 skipped /,
  )
})

for (const [what, bad] of Object.entries({
  'that fails': `test('bad', () => { throw new Error('because') })`,
  'that cannot be loaded': `import './nowhere.mjs'`,
  'that ends the process': `test('bad', () => { process.exit(0) })`,
  'that ends badly': `test('good', () => {}); process.exitCode = 3`,
})) {
  test(`run tests: a file ${what} has failed alone, whoever shares its process`, async () => {
    const files = [file('a.test.mjs', `test('good', () => {})`), file('b.test.mjs', bad)]
    const { failed, printed, told } = await runBatch([...files, file('c.test.mjs', `test('good', () => {})`)])
    assert.equal(failed, 1)
    assert.equal(told.length, 3)
    assert.match(printed, /^note 3 files .*\nok .*a\.test\.mjs .*\nFAIL .*b\.test\.mjs /)
    assert.match(printed, /^ok .*c\.test\.mjs {2}1 passed, 0 failed/m)
  })
}

for (const [what, flaky] of Object.entries({
  'that fails once': `import { existsSync, writeFileSync } from 'node:fs'
    test('bad', () => {
      const mark = new URL('./seen', import.meta.url)
      if (existsSync(mark)) return
      writeFileSync(mark, '')
      throw new Error('lost update')
    })`,
  'that fails in company': `test('bad', () => { if (globalThis.company) throw new Error('lost update') })`,
})) {
  test(`run tests: a file ${what} has failed, and is quoted, though it goes well alone`, async () => {
    rmSync(join(home, 'seen'), { force: true })
    const files = [
      file('a.test.mjs', `globalThis.company = true\ntest('good', () => {})`),
      file('b.test.mjs', flaky),
    ]
    const { passed, failed, printed, told } = await runBatch(files)
    assert.deepEqual([passed, failed, told], [2, 1, files])
    assert.match(
      printed,
      /^FAIL .*b\.test\.mjs only in company with .*a\.test\.mjs .*\n\s+✗ bad .*\n\s+Error: lost update/m,
    )
  })
}

test('run tests: a file that fails in company has failed, and is quoted, though another one fails alone', async () => {
  const files = [
    file('a.test.mjs', `globalThis.company = true\ntest('good', () => {})`),
    file('b.test.mjs', `test('bad', () => { if (globalThis.company) throw new Error('lost update') })`),
    file('c.test.mjs', `test('worse', () => { throw new Error('always') })`),
  ]
  const { passed, failed, printed, told } = await runBatch(files)
  assert.deepEqual([passed, failed, told], [2, 2, files])
  assert.match(printed, /^FAIL \S*c\.test\.mjs {2}0 passed, 1 failed .*\n\s+✗ worse .*\n\s+Error: always/m)
  assert.match(
    printed,
    /^FAIL \S*b\.test\.mjs only in company with \S*a\.test\.mjs, \S*c\.test\.mjs {2}0 passed, 1 failed .*\n\s+✗ bad .*\n\s+Error: lost update/m,
  )
  assert.equal(printed.match(/✗/g)?.length, 2)
})
