import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { runTestenv } from './run-testenv.ts'

const root = new URL('../../../../', import.meta.url).pathname
const command = `${root}packages/cli/bin/strata.mjs`

interface Environment {
  readonly url: string
  readonly kubeconfig: string
  readonly ca: string
  readonly token: string
  readonly pid: number
}

/** A shell starts it, as a test runner would; `exec sleep` keeps the shell's process alive. */
function startFromParent(flags: string): ChildProcess {
  const script = `"${process.execPath}" "${command}" testenv ${flags} & exec sleep 120`
  return spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
}

async function firstLine({ stdout }: ChildProcess): Promise<Environment> {
  assert.ok(stdout)
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as Environment
  throw new Error('it printed nothing')
}

function statusOf(
  { url, ca, token }: Environment,
  path: string,
  { method = 'GET', body = '' } = {},
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const asked = request(`${url}${path}`, { ca, headers, method, agent: false }, (answer) => {
    answer.resume()
    resolve(answer.statusCode)
  })
  asked.on('error', reject)
  asked.end(body)
  return promise
}

test('testenv serves CRDs from a folder, and ends with its parent, also after kill -9', async () => {
  const parent = startFromParent(`--crds ${root}examples/lamps/crd-v1.yaml --kubernetes-version 1.30`)
  let said = ''
  parent.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const environment = await firstLine(parent)
  assert.equal(await statusOf(environment, '/apis/light.example.dev/v1/lamps'), 200)
  assert.ok(existsSync(environment.kubeconfig))
  const ended = new Promise((resolve) => parent.stdout?.on('close', resolve))
  parent.kill('SIGKILL')
  // Its standard output, which it inherited, closes when it has ended.
  await ended
  assert.ok(!existsSync(environment.kubeconfig), 'the files are removed')
  assert.doesNotMatch(said, / INFO /, 'everyday work does not stand between the lines of a test runner')
  await assert.rejects(statusOf(environment, '/readyz'), { code: 'ECONNREFUSED' })
})

test('testenv ends at once if its parent ended while it was loaded', async () => {
  const world = createNodeWorld({ log: silentLog })
  const printed: string[] = []
  const signal = AbortSignal.timeout(60_000)
  const none = { release: undefined, kubernetesVersion: undefined, port: undefined }
  const context = {
    ...{ world, signal, environment: {}, isTerminal: false, screen: undefined, execPath: '', entry: '' },
    ...{ print: (text: string) => printed.push(text), firstParentId: 10, parentId: () => 1 },
  }
  await runTestenv({ ...none, crds: [], resources: [], controllers: [] }, context)
  assert.equal(printed.length, 1)
  assert.ok(!signal.aborted, 'not only because time was up')
})

test('testenv serves kinds of a module in the release that is named, and runs no controllers if told so', async () => {
  const flags = `--resources ${root}examples/lighthouse/resources.ts --release x+3 --controllers none`
  const parent = startFromParent(flags)
  const environment = await firstLine(parent)
  try {
    const paths = ['v1', 'v2'].map((version) => `/apis/lighthouse.example.dev/${version}/beacons`)
    const statuses = await Promise.all(paths.map((path) => statusOf(environment, path)))
    assert.deepEqual(statuses, [404, 200], 'x+3 knows v2 only')
    const body = JSON.stringify({ metadata: { name: 'brief' } })
    const namespaces = '/api/v1/namespaces'
    assert.equal(await statusOf(environment, namespaces, { method: 'POST', body }), 201)
    assert.equal(await statusOf(environment, `${namespaces}/brief`, { method: 'DELETE' }), 200)
    assert.equal(await statusOf(environment, `${namespaces}/brief`), 200, 'no controller ends it')
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/strata-controllers'
    assert.equal(await statusOf(environment, lease), 404)
  } finally {
    const ended = new Promise((resolve) => parent.stdout?.on('close', resolve))
    parent.kill('SIGKILL')
    await ended
  }
})

const mistakes: readonly [flags: readonly string[], want: RegExp][] = [
  [
    ['--kubernetes-version', '9.9'],
    /^strata: --kubernetes-version "9\.9" is not known: give 1\.19 to 1\.37\n$/,
  ],
  [['--crds', '/nope'], /^strata: --crds \/nope: there is no such file or folder\n$/],
]
for (const [flags, want] of mistakes) {
  test(`a mistake is one line that names the flag ${flags[0]}, and the exit code is 2`, async () => {
    const child = spawn(process.execPath, [command, 'testenv', ...flags])
    const chunks: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    const code = await new Promise((resolve) => child.once('close', resolve))
    assert.match(Buffer.concat(chunks).toString(), want)
    assert.equal(code, 2)
  })
}
