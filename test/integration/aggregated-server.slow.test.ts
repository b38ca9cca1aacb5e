import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { AggregatedProcesses } from '../support/aggregated-processes.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { kubectl, type Ran } from '../support/kubectl.ts'
import { lighthouseModule } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const root = '/apis/lighthouse.example.dev/v1'
const apiServices = join(import.meta.dirname, '../../examples/aggregated-server/apiservices.yaml')

/** The manifests of docs/aggregated-server.md, and the example's kinds. */
describe('aggregated server, in a process of its own', () => {
  let pair: AggregatedProcesses
  const run = (args: readonly string[], input?: unknown): Promise<Ran> => pair.run(args, input)
  const ok = (args: readonly string[], input?: unknown): Promise<string> => pair.ok(args, input)

  before(async () => {
    pair = await AggregatedProcesses.start(lighthouseModule)
    const text = await readFile(apiServices, 'utf8')
    const file = pair.file('apiservices.yaml')
    await writeFile(file, text.replaceAll('CA_BUNDLE', await pair.caBundle()))
    await ok(['apply', '-f', file])
    const services = ['v1', 'v2'].map((version) => `apiservice/${version}.lighthouse.example.dev`)
    await ok(['wait', '--for=condition=Available', ...services, '--timeout=30s'])
  })
  after(() => pair?.stop())

  test('kubectl creates, reads, applies, patches, watches and deletes through the aggregator', async () => {
    await ok(['create', '-f', '-'], beacon('v1', 'north', 5))
    await ok(['apply', '-f', '-'], beacon('v1', 'south', 5))
    await ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], beacon('v1', 'south', 6))
    // Both commands watch.
    const waiting = Promise.all([
      ok(['wait', '--for=jsonpath={.spec.periodMs}=9000', 'beacon/north', '--timeout=30s']),
      ok(['wait', '--for=delete', 'beacon/south', '--timeout=30s']),
    ])
    const north = ['beacons.v1.lighthouse.example.dev', 'north']
    await ok(['patch', ...north, '--type=merge', '-p', '{"spec":{"everySeconds":9}}'])
    await ok(['delete', 'beacon', 'south'])
    assert.match((await waiting).join(''), /beacon\S+\/north condition met/)
    const got = JSON.parse(await ok(['get', ...north, '-o', 'json']))
    assert.equal(got.spec.everySeconds, 9)
  })

  test('kubectl explains the kind, and finds the storage resources beside it', async () => {
    const [explained, recordExplained, resources, records] = await Promise.all([
      ok(['explain', 'beacons.spec', '--api-version=lighthouse.example.dev/v1']),
      ok(['explain', 'storageagreements', '--api-version=lighthouse.example.dev/v1']),
      ok(['api-resources', '--api-group=lighthouse.example.dev', '-o', 'name']),
      ok(['get', '--raw', `${root}/storageagreements`]),
    ])
    assert.match(explained, /everySeconds/)
    assert.match(recordExplained, /^KIND: +StorageAgreement$/m)
    assert.deepEqual(
      resources
        .trim()
        .split('\n')
        .map((each) => each.split('.')[0]),
      ['beacons', 'storageagreements', 'storagecensuses', 'storagereencodes'],
    )
    const { kind, apiVersion, items } = JSON.parse(records)
    assert.deepEqual(
      [kind, apiVersion, items.map((each: { metadata: { name: string } }) => each.metadata.name)],
      ['StorageAgreementList', 'strata.dev/v1alpha1', ['lighthouse.example.dev.beacons']],
    )
  })

  test('a user without rights is denied, around the aggregator too', async () => {
    const denied = await run(['get', 'beacons', '--as', 'eve'])
    assert.deepEqual(
      [denied.code, /User "eve" cannot list resource "beacons"/.test(denied.stderr)],
      [1, true],
    )
    const server = [`--server=${pair.behind}`, '--insecure-skip-tls-verify']
    const token = await pair.serviceToken()
    // The rights of the aggregated server itself do not include its kinds.
    const direct = await kubectl(['get', '--raw', beaconPath('v1'), ...server, '--token', token], {
      ...{ kubeconfig: '/dev/null', home: pair.file('') },
    })
    assert.match(direct.stderr, /system:serviceaccount:shop:api\\?" cannot list resource/)
  })

  test('the rights of the example are enough to show servers and storage versions', async () => {
    const { storageVersions } = await until('there is a StorageVersion with entries', async () => {
      const { stdout } = await run(['get', 'storageversion', 'lighthouse.example.dev.beacons', '-o', 'json'])
      const status = stdout === '' ? undefined : JSON.parse(stdout).status
      return status?.storageVersions ? status : undefined
    })
    const label = 'apiserver.kubernetes.io/identity=aggregated-apiserver'
    const leases = await ok(['get', 'leases', '-n', 'kube-system', '-l', label, '-o', 'name'])
    assert.deepEqual(
      leases.trim().split('\n'),
      storageVersions.map((each: { apiServerID: string }) => `lease.coordination.k8s.io/${each.apiServerID}`),
    )
  })

  test('a namespace that the aggregator does not have takes no objects', async () => {
    const nowhere = beacon('v1', 'east', 5)
    const metadata = { name: 'east', namespace: 'nowhere' }
    const { stderr } = await run(['create', '-f', '-'], { ...nowhere, metadata })
    assert.match(stderr, /\(NotFound\).*namespaces "nowhere" not found/)
  })

  // The texts are those of kube-apiserver 1.36.4 with a backend that was stopped.
  test('kubectl says that a group is unavailable while its server is away', async () => {
    const metrics = {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      service: { namespace: 'away', name: 'away' },
    }
    await ok(['create', '-f', '-'], {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: { ...metrics, insecureSkipTLSVerify: true, groupPriorityMinimum: 100, versionPriority: 100 },
    })
    await ok([
      'wait',
      '--for=condition=Available=False',
      'apiservice/v1beta1.metrics.k8s.io',
      '--timeout=30s',
    ])
    await pair.killBehind()
    const old = process.env['STRATA_KUBECTL_OLD']
    assert.ok(old, 'STRATA_KUBECTL_OLD is not set: run npm test, which brings it, or say where it is')
    const home = { kubeconfig: pair.kubeconfig, home: pair.file('old') }
    const all = await Promise.all([
      run(['get', 'beacons']),
      run(['get', 'beacon', 'north']),
      run(['get', '--raw', beaconPath('v1')]),
      run(['get', '--raw', '/apis/metrics.k8s.io/v1beta1']),
      run(['top', 'nodes']),
      kubectl(['top', 'nodes'], { ...home, program: old }),
    ])
    const unavailable =
      'Error from server (ServiceUnavailable): the server is currently unable to handle the request'
    assert.deepEqual(
      all.map(({ code, stderr }) => [code, stderr.trim()]),
      [
        [1, `${unavailable} (get beacons.lighthouse.example.dev)`],
        [1, `${unavailable} (get beacons.lighthouse.example.dev north)`],
        [1, unavailable],
        [1, unavailable],
        // It knows by discovery, which the older one does not ask.
        [1, 'error: Metrics API not available'],
        [1, `${unavailable} (get nodes.metrics.k8s.io)`],
      ],
    )
  })
})
