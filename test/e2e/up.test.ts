import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Lease, Namespace, StorageAgreement } from '@strata/api'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { childrenOf, isRunningWith } from '../support/child-processes.ts'
import { linkIn, signIn } from '../support/dashboard-session.ts'
import { kubectl } from '../support/kubectl.ts'
import { lighthouseModule, StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const contexts = ['strata-1', 'strata-2', 'strata-3']
const patience = { giveUpMs: 60_000 }

test('up: a fleet of three servers and the controllers starts, repairs itself, and leaves nothing behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-up-'))
  const dataDir = join(directory, 'data')
  const up = new StrataProcess('up', [
    ...['up', '--data-dir', dataDir, '--port', '0', '--resources', lighthouseModule],
    ...['--expected-servers', '3'],
  ])
  const isRunning = (pid: number): boolean => isRunningWith(pid, dataDir)
  // They are in process groups of their own, so nothing else would end them if `up` itself failed.
  const children = new Set<number>()
  try {
    await until('the fleet is up', () => up.stdout.includes('The fleet is up') || !up.running, patience)
    assert.ok(up.running, up.output)
    for (const pid of childrenOf(up.pid)) children.add(pid)
    assert.equal(children.size, 4, 'three servers and the controllers')

    const kubeconfig = join(dataDir, 'admin.kubeconfig')
    assert.equal((await stat(kubeconfig)).mode & 0o777, 0o600)
    const config = JSON.parse(await readFile(kubeconfig, 'utf8'))
    assert.deepEqual(
      config.contexts.map(({ name }: { name: string }) => name),
      contexts,
    )
    const get = (path: string, context: string) =>
      kubectl(['get', '--raw', path, '--context', context], { kubeconfig, home: directory })
    for (const context of contexts) {
      const { stdout, stderr } = await get('/api/v1/namespaces/default', context)
      assert.equal(JSON.parse(stdout || '{}').kind, 'Namespace', stderr)
    }

    const versions = ['get', 'storageversions', '-o', 'name']
    const listed = await kubectl(versions, { kubeconfig, home: directory })
    assert.match(listed.stdout, /\/lighthouse\.example\.dev\.beacons$/m, listed.stderr)
    await assertDashboard(up, dataDir)

    const record = await get('/apis/strata.dev/v1alpha1/storageagreements/core.configmaps', 'strata-1')
    const { servers } = (JSON.parse(record.stdout || '{}') as StorageAgreement).status
    assert.deepEqual(
      servers.map(({ expectedServers }) => expectedServers),
      [3, 3, 3],
    )

    await assertRefusedBeside(dataDir, up.pid)
    assert.equal(await readFile(kubeconfig, 'utf8'), JSON.stringify(config, undefined, 2).concat('\n'))

    const [, victim = 0] = /strata-1 ([0-9]+)/.exec(up.stdout)?.map(Number) ?? []
    assert.ok(children.has(victim), 'the banner names the process of a server')
    process.kill(victim, 'SIGKILL')
    await until('the dead server is reported', () => up.stdout.includes('was ended by SIGKILL'), patience)
    await until(
      'it is there again',
      async () => {
        const now = childrenOf(up.pid)
        for (const pid of now) children.add(pid)
        return now.length === 4 && (await get('/readyz', 'strata-1')).stdout === 'ok'
      },
      patience,
    )

    up.signal('SIGINT')
    assert.deepEqual(await up.ended(), { code: 0, signal: null }, up.output)
    assert.deepEqual([...children].filter(isRunning), [])
    assert.deepEqual(await observeTraces(dataDir), { leases: [], entries: [] })
  } catch (error) {
    process.stderr.write(`--- up said:\n${up.output}\n`)
    throw error
  } finally {
    if (up.running) for (const pid of childrenOf(up.pid)) children.add(pid)
    await up.kill()
    for (const pid of children) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true })
  }
})

/** The link of the banner signs in once. The page shows and controls the fleet; the servers themselves have no such endpoint. */
async function assertDashboard(up: StrataProcess, dataDir: string): Promise<void> {
  const link = linkIn(up.stdout)
  const { facts, ask } = await signIn(link)
  assert.deepEqual([facts.user, facts.allowWrites, facts.playground], ['admin', true, true])
  await assert.rejects(signIn(link), /refused: 401/)
  const { origin } = new URL(link)
  assert.equal((await fetch(`${origin}/playground/v1/fleet`)).status, 401)

  const shown = (await ask('GET', '/playground/v1/fleet')).body as { servers: { url: string }[] }
  assert.equal(shown.servers.length, 3)
  const storageVersions = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
  assert.equal((await ask('GET', storageVersions)).status, 200)
  const refused = await ask('POST', '/playground/v1/actions', { action: 'thaw', server: 'strata-1' })
  assert.equal(refused.status, 409, JSON.stringify(refused.body))
  assert.equal((await ask('POST', '/control/v1/sign-in-link')).status, 404)

  const { ended, output } = await runToEnd('link', ['playground', 'link', '--data-dir', dataDir])
  assert.equal(ended.code, 0, output)
  assert.equal((await signIn(linkIn(output))).facts.playground, true)
}

async function runToEnd(name: string, args: readonly string[]) {
  const ran = new StrataProcess(name, args)
  const ended = await ran.ended()
  return { ended, output: ran.output }
}

/** A second fleet of one directory would overwrite what the first one lives by. */
async function assertRefusedBeside(dataDir: string, pid: number): Promise<void> {
  const second = new StrataProcess('a second up', ['up', '--data-dir', dataDir, '--port', '0'])
  assert.equal((await second.ended()).code, 1)
  assert.equal(
    second.output,
    `strata: a fleet already runs here (pid ${pid}): stop it (kill ${pid}), or give another --data-dir\n`,
  )
}

test('up: what it has started goes kindly when it is killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'strata-up-killed-'))
  const up = new StrataProcess('up', ['up', '--data-dir', dataDir, '--port', '0', '--servers', '2'])
  let children: readonly number[] = []
  const running = (): readonly number[] => children.filter((pid) => isRunningWith(pid, dataDir))
  try {
    await until('the fleet is up', () => up.stdout.includes('The fleet is up') || !up.running, patience)
    children = childrenOf(up.pid)
    assert.equal(running().length, 3, up.output)
    await up.kill()
    await until('all have gone', () => running().length === 0, patience)
    assert.deepEqual(await observeTraces(dataDir), { leases: [], entries: [] })
  } finally {
    await up.kill()
    for (const pid of running()) process.kill(pid, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('npm start: a signal to npm alone stops the fleet, and --fresh starts over', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-npm-'))
  // A process group of its own, so that nothing is left whatever happens.
  const npm = spawn('npm', ['start', '--', '--data-dir', directory, '--port', '0', '--servers', '1'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const closed = once(npm, 'close')
  try {
    await until('the fleet is up', () => said.includes('The fleet is up') || npm.exitCode !== null, patience)
    npm.kill('SIGTERM')
    // Its output is closed when the last process below it is gone.
    await closed
    assert.match(said, /stopped; the data is kept/)
    assert.deepEqual(await observeTraces(directory), { leases: [], entries: [] })
    await assertFresh(directory)
  } finally {
    if (npm.exitCode === null && npm.signalCode === null && npm.pid !== undefined) {
      process.kill(-npm.pid, 'SIGKILL')
    }
    await rm(directory, { recursive: true, force: true })
  }
})

/** --fresh deletes what was stored, and only if the user agrees. */
async function assertFresh(dataDir: string): Promise<void> {
  const namespaceUid = async (): Promise<string> => {
    const [namespace] = await readStored<Namespace>(dataDir, '/registry/namespaces/default')
    return namespace?.metadata.uid ?? assert.fail('no namespace')
  }
  const args = ['up', '--fresh', '--data-dir', dataDir, '--port', '0', '--servers', '1']
  const before = await namespaceUid()
  const refused = await runToEnd('up --fresh', args)
  assert.match(refused.output, /there is no terminal to ask: add --yes; nothing was deleted/)
  assert.equal(await namespaceUid(), before)
  const up = new StrataProcess('up --fresh --yes', [...args, '--yes'])
  try {
    await until('the fleet is up', () => up.stdout.includes('The fleet is up') || !up.running, patience)
    up.signal('SIGINT')
    assert.equal((await up.ended()).code, 0, up.output)
    assert.notEqual(await namespaceUid(), before)
  } finally {
    await up.kill()
  }
}

/** Servers that were shut down leave nothing in the store. */
async function observeTraces(dataDir: string): Promise<{ leases: unknown[]; entries: unknown[] }> {
  const leases = await readStored<Lease>(dataDir, '/registry/leases/kube-system/')
  const records = await readStored<StorageAgreement>(dataDir, '/registry/strata.dev/storageagreements/')
  assert.ok(records.length > 0)
  return {
    leases: leases.filter(({ metadata }) => metadata.labels?.['apiserver.kubernetes.io/identity']),
    entries: records.flatMap(({ status }) => status.servers),
  }
}

async function readStored<T>(dataDir: string, prefix: string): Promise<T[]> {
  const path = join(dataDir, 'store', 'store.db')
  const store = await createSqliteStore({ path, ...createNodeWorld({ log: silentLog }) })
  try {
    const { entries } = await store.list({ prefix }, new AbortController().signal)
    return entries.map(({ value }) => JSON.parse(Buffer.from(value).toString()))
  } finally {
    await store.close()
  }
}
