import assert from 'node:assert/strict'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathsBelow } from '@strata/server/main'
import type { Store, Write } from '@strata/server/store'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { auditHistory } from '../history-audit/audit-command.ts'
import { beacon, beaconPath, call, createFleetServer } from '../support/fleet.ts'
import { freePorts } from '../support/free-ports.ts'

const world = createNodeWorld({ log: silentLog })
const never = new AbortController().signal
const oneKey = '/registry/lighthouse.example.dev/beacons/default/one'

/** The real program, without a process of its own. */
async function audit(
  dataDir: string,
  ...flags: readonly string[]
): Promise<{ code: number; said: string; progress: string[] }> {
  const said: string[] = []
  const progress: string[] = []
  const code = await auditHistory(['--data-dir', dataDir, ...flags], {
    ...{ world, signal: never },
    print: (text) => said.push(text),
    progress: (text) => progress.push(text),
  })
  return { code, said: said.join('\n'), progress }
}

describe('history audit', () => {
  let directory = ''
  let store: Store
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'strata-audit-'))
    store = await createSqliteStore({ path: join(pathsBelow(directory).storeDir, 'store.db'), ...world })
    const server = createFleetServer({ world, store, instance: 'a', release: 'x+1', traceWriters: true })
    await server.start(never)
    for (const name of ['one', 'two']) {
      const { status } = await call(server.handle, 'POST', beaconPath('v1'), beacon('v1', name, 5))
      assert.equal(status, 201)
    }
    await server.stop(1_000)
  })
  after(async () => {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  })

  test('a clean history: exit code 0, while others have the store open', async () => {
    const { code, said, progress } = await audit(directory)
    assert.equal(code, 0, said)
    assert.match(said, /^RESOURCE +PUTS +VERSIONS +MARKED +AMBIGUOUS +EXCEPTIONS +REVISIONS$/m)
    assert.match(said, /^beacons\.lighthouse\.example\.dev +2 +v1 2 +2 +0 +0 +\d+ to \d+$/m)
    assert.match(said, /^No exceptions: each is in the version that its writer had recorded just before\.$/m)
    assert.match(progress[0] ?? '', /^revision \d+ of \d+ \(100 %\)$/)
    assert.equal(progress.at(-1), '', 'the line is cleared')
  })

  test('a client writes past the servers: exit code 1, and as many are listed as asked for', async () => {
    const value = Buffer.from('{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v2","metadata":{}}')
    const put: Write = { kind: 'put', key: oneKey, value }
    for (let count = 0; count < 3; count++) await store.commit({ writes: [put], guards: [] }, never)
    const { code, said } = await audit(directory, '--limit', '2')
    assert.equal(code, 1)
    const line =
      /^revision \d+: \S+\/one is in lighthouse.example.dev\/v2, and no server had an entry \(NothingRecorded\)$/gm
    assert.equal(said.match(line)?.length, 2, said)
    assert.match(said, /^and 1 more; --limit 3 lists all$/m)
    const json = JSON.parse((await audit(directory, '-o', 'json')).said)
    assert.deepEqual([json.exceptions, json.exceptionList.length, json.puts - json.marked], [3, 3, 3])
  })

  test('a history that is gone in part: exit code 2, and 0 for what is left', async () => {
    const revision = await store.currentRevision(never)
    await store.compact(revision, never)
    const { code, said } = await audit(directory)
    assert.equal(code, 2)
    assert.match(
      said,
      new RegExp(
        `^NOT SEEN WHOLE: .* up to revision ${revision} has been compacted. --since-revision ${revision} asks`,
        'm',
      ),
    )
    const rest = await audit(directory, '--since-revision', String(revision), '-o', 'yaml')
    assert.equal(rest.code, 0, rest.said)
    assert.match(rest.said, /^whole: true$/m)
    await assert.rejects(audit(directory, '--since-revision', '99999999999'), {
      exitCode: 2,
      message: /revision 99999999999 is yet to come; the newest is \d+/,
    })
  })

  test('what is under a key that was not given: exit code 2, and the key is named', async () => {
    const since = String(await store.currentRevision(never))
    const value = Buffer.from('k8s:enc:aesgcm:v1:key1:\u0001\u0002')
    await store.commit({ writes: [{ kind: 'put', key: oneKey, value }], guards: [] }, never)
    const { code, said } = await audit(directory, '--since-revision', since)
    assert.equal(code, 2)
    assert.match(said, /^NOT SEEN: 1 puts .* \(k8s:enc:aesgcm:v1:key1:\).*--encryption-provider-config/m)
    assert.match(said, /^No exceptions in what could be seen/m)
  })

  test('it is unknown which of two servers wrote it: exit code 2', async () => {
    const since = String(await store.currentRevision(never))
    const [old, young] = ['x+1', 'x+2'].map((release) =>
      createFleetServer({ world, store, instance: release, release }),
    )
    assert.ok(old && young)
    await old.start(never)
    await young.start(never)
    const { status } = await call(old.handle, 'POST', beaconPath('v1'), beacon('v1', 'three', 5))
    assert.equal(status, 201)
    await old.stop(1_000)
    await young.stop(1_000)
    const { code, said } = await audit(directory, '--since-revision', since)
    assert.equal(code, 2, said)
    assert.match(said, /^AMBIGUOUS: [1-9]\d* of them could be of a server that had recorded another version/m)
  })

  test('nothing is made where there is nothing', async () => {
    const nowhere = join(directory, 'nowhere')
    await assert.rejects(audit(nowhere), { exitCode: 2, message: /there is no store at .*store\.db/ })
    await assert.rejects(access(nowhere), { code: 'ENOENT' })
  })

  test('Ctrl-C ends the waiting for an etcd that does not answer', async () => {
    const [port] = await freePorts(1)
    const stop = new AbortController()
    const context = { world, signal: stop.signal, print: () => {} }
    const run = auditHistory(['--etcd-servers', `http://127.0.0.1:${port}`], context)
    stop.abort(new Error('stopped'))
    await assert.rejects(run, { exitCode: 2, message: 'stopped' })
  })
})
