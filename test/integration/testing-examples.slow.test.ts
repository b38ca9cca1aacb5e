import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { strataCommand } from '../support/serve-process.ts'

const run = promisify(execFile)
/** Their tests are runs of their own, not a part of this one. */
const { NODE_TEST_CONTEXT: _, ...environment } = process.env
const root = join(import.meta.dirname, '../..')
/** Read as a shell reads words. */
const strata = `"${process.execPath}" "${strataCommand}"`

test('the example in TypeScript with vitest', async () => {
  const folder = join(root, 'examples/testing/vitest')
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  if (!existsSync(vitest)) throw new Error('vitest is missing; npm test brings it, and npm ci in its folder')
  const { stdout } = await run(process.execPath, [vitest, 'run', '--root', folder, '--no-color'], {
    env: environment,
  })
  assert.match(stdout, /Tests +2 passed/)
})

test('the example in Python: pytest, and the official client', async () => {
  const modules = [folderOf('STRATA_PYTEST', 'pytest'), folderOf('STRATA_PYTHON_CLIENT', 'python-client')]
  // Not into the clone: neither compiled modules nor a cache.
  const env = {
    ...environment,
    PYTHONPATH: modules.join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    STRATA: strata,
  }
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(root, 'examples/testing/python')]
  const { stdout } = await run('python3', args, { env })
  assert.match(stdout, /2 passed/)
})

test('the example in Java: the client of the JDK', async (t) => {
  const java = process.env['STRATA_JAVA'] ?? 'java'
  const version = await majorOf(java)
  if (version < 17) {
    const which = version === 0 ? 'is missing' : `is ${version}`
    t.diagnostic(`was not run: java ${which}; install JDK 17 or newer, or set STRATA_JAVA to its java`)
    return
  }
  const folder = join(root, 'examples/testing/java')
  const { stdout } = await run(java, ['LampTest.java'], {
    cwd: folder,
    env: { ...environment, STRATA: strata },
  })
  assert.match(stdout, /2 passed/)
})

/** 0: it is not there. */
async function majorOf(java: string): Promise<number> {
  try {
    const { stdout } = await run(java, ['--version'])
    return Number(/ (\d+)/.exec(stdout)?.[1] ?? 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

function folderOf(variable: string, part: string): string {
  const folder = process.env[variable]
  if (folder) return folder
  throw new Error(
    `${variable} names no folder; npm test sets it, and node tools/setup/part.mjs ${part} prints it`,
  )
}
