import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { StorageState } from '@strata/api'
import { LoneServer } from '../support/lone-server.ts'
import { lighthouseModule, StrataProcess } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const states = '/apis/migration.k8s.io/v1alpha1/storagestates'
const migrations = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
/** As a cluster whose servers publish nothing but hashes. */
const plain = [
  '--runtime-config',
  'strata.dev/v1alpha1=false,internal.apiserver.k8s.io/v1alpha1=false',
  ...['--release', 'x+1', '--resources', lighthouseModule],
]

test('strata controllers, as people type it: beside a server that publishes nothing, and once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-reporter-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const server = await LoneServer.start('reporter', [...plain, '--kubeconfig-out', kubeconfig])
  const processes: StrataProcess[] = []
  const strata = (...args: readonly string[]): StrataProcess => {
    const process = new StrataProcess('controllers', ['controllers', ...args, '--kubeconfig', kubeconfig])
    processes.push(process)
    return process
  }
  try {
    const rehearsal = strata('init', '--dry-run', '-o', 'json')
    assert.equal((await rehearsal.ended()).code, 0, rehearsal.output)
    const wanted: { created: readonly { resource: string }[] } = JSON.parse(rehearsal.stdout)
    assert.ok(
      wanted.created.some(({ resource }) => resource === 'beacons'),
      rehearsal.stdout,
    )
    assert.deepEqual((await read(server, migrations)).items, [])
    const once = strata('init')
    assert.equal((await once.ended()).code, 0, once.output)
    assert.match(
      once.stdout,
      /beacons\.lighthouse\.example\.dev +created +lighthouse\.example\.dev\.v1\.beacons-/,
    )
    assert.equal((await read(server, migrations)).items.length, wanted.created.length)

    const url = `https://127.0.0.1:${server.port}`
    const only = ['--controllers', 'storage-version-migration-trigger']
    const reporter = strata('--reporter-for', url, ...only, '--poll-period', '5s')
    const named = `${states}/beacons.lighthouse.example.dev`
    const state = await until(
      'it has reported twice, and asked for a migration',
      async () => {
        assert.ok(reporter.running, reporter.output)
        const found: StorageState = await read(server, named)
        const { items } = await read(server, migrations)
        const isAsked = items.some((each: StorageState) =>
          each.metadata.name?.startsWith('beacons.lighthouse.example.dev-'),
        )
        return isAsked && found.status?.currentStorageVersionHashes ? found : undefined
      },
      { giveUpMs: 60_000 },
    )
    const [entry, ...others] = state.status?.currentStorageVersionHashes ?? []
    assert.deepEqual(others, [])
    const { spec } = await read(
      server,
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/strata-storage-version-migration-trigger',
    )
    assert.equal(entry?.reporterID, spec.holderIdentity, 'it reports under the name with which it leads')
  } finally {
    for (const process of processes) await process.kill()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
})

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
async function read(server: LoneServer, path: string): Promise<any> {
  return JSON.parse((await server.send('HTTP/1.1', { method: 'GET', path })).text)
}
