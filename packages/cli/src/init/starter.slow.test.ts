import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const command = join(root, 'packages/cli/bin/strata.mjs')
const node = process.execPath
/** The project's tests are a run of their own, not a part of this one. */
const { NODE_TEST_CONTEXT: _, ...environment } = process.env

test('a new project passes its tests, serves and upgrades its kind, and a second init into it is refused', async () => {
  // Inside the clone, where the packages are found as if npm had installed them.
  await mkdir(join(root, '.strata'), { recursive: true })
  const directory = await mkdtemp(join(root, '.strata/starter-'))
  try {
    const init = [command, 'init', 'kind', 'policies.acme.example', '--dir', directory]
    const { stdout } = await run(node, init, { env: environment })
    assert.match(stdout, /^wrote README\.md, main\.ts, package\.json, policy\.test\.ts, policy\.ts/)
    assert.match(stdout, /^Try next:\n {2}cd .*\n {2}npm test$/m, 'in the clone nothing is installed')
    await run(node, ['--test'], { cwd: directory, env: environment })
    await serves(directory)
    await rolls(directory)
    await assert.rejects(run(node, init, { env: environment }), {
      code: 2,
      stderr: /is not empty: give another/,
    })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

/** Starts the embedding program, asks for the kind with kubectl's path, and stops it. */
async function serves(directory: string): Promise<void> {
  const env = { ...environment, PORT: '0', DATA_DIR: join(directory, 'data'), RELEASE: '1.1' }
  const server = spawn(node, ['main.ts'], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = new Promise((resolve) => server.once('close', resolve))
  let text = ''
  const ready = Promise.withResolvers<string>()
  server.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const [, kubeconfig] = / ready kubeconfig=(\S+)/.exec(text) ?? []
    if (kubeconfig !== undefined) ready.resolve(kubeconfig)
  })
  void exited.then(() => ready.reject(new Error(`it ended: ${text}`)))
  try {
    const kubeconfig = await ready.promise
    const { stdout } = await run(node, [command, 'status', 'policies', '--kubeconfig', kubeconfig], {
      env: environment,
    })
    assert.match(stdout, /policies\.acme\.example\s+v1\s.*\sv1 \(v2\)$/m)
  } finally {
    server.kill('SIGTERM')
  }
  assert.equal(await exited, 0, text)
}

/** What its README shows: `npm start`, an upgrade, and whether the fleet may go further. */
async function rolls(directory: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
  const [program, ...start] = scripts.start.split(' ')
  assert.equal(program, 'strata')
  const dataDir = join(directory, 'fleet')
  const args = [command, ...start, '--servers', '1', '--port', '0', '--data-dir', dataDir]
  const up = spawn(node, args, { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise((resolve) => up.once('close', resolve))
  let text = ''
  const ready = Promise.withResolvers<void>()
  for (const stream of [up.stdout, up.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('The fleet is up')) ready.resolve()
    })
  }
  void exited.then(() => ready.reject(new Error(`it ended: ${text}`)))
  const strata = (...words: readonly string[]) => run(node, [command, ...words], { env: environment })
  try {
    await ready.promise
    const rolled = await strata('roll', '--to', '1.1', '--data-dir', dataDir)
    assert.match(rolled.stdout + rolled.stderr, /done, 1 of 1 run 1\.1: all run 1\.1/)
    const kubeconfig = join(dataDir, 'admin.kubeconfig')
    // 2.0 reads v2 only, and 1.1 still writes v1.
    await assert.rejects(strata('check', '--to', '2.0', '--kubeconfig', kubeconfig), {
      code: 1,
      stdout: /UNSAFE.*\(for instance 1\.2\), then run "strata migrate policies\.acme\.example"/s,
    })
  } finally {
    up.kill('SIGINT')
  }
  assert.equal(await exited, 0, text)
}
