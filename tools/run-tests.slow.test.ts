import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { root } from './repository.ts'
import { runTests, type Tally } from './run-tests.ts'

const home = mkdtempSync(join(tmpdir(), 'strata-run-tests-'))
after(() => rmSync(home, { recursive: true, force: true }))

async function run(text: string, timeoutMs = 30_000): Promise<Tally & { printed: string }> {
  const path = join(home, 'x.test.mjs')
  writeFileSync(path, `import { test, describe } from 'node:test'\n${text}`)
  let printed = ''
  const print = (text: string): void => {
    printed += text
  }
  const { signal } = new AbortController()
  const tally = await runTests({ files: [relative(root, path)], concurrency: 1, timeoutMs, signal, print })
  return { ...tally, printed }
}

test('run tests: counts what passed, failed and was skipped, and shows only what failed', async () => {
  const { printed, ...tally } = await run(`
    test('good', () => {})
    test.skip('later', () => {})
    describe('all', () => test('bad', () => { throw new Error('because') }))`)
  assert.deepEqual(tally, { passed: 1, failed: 1, skipped: 1 })
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
