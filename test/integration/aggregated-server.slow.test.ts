import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { beacon, beaconPath } from '../support/fleet.ts'
import { freePorts } from '../support/free-ports.ts'
import { kubectl, type Ran } from '../support/kubectl.ts'
import { lighthouseModule, StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

const root = '/apis/lighthouse.example.dev/v1'
const example = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../examples/aggregated-server', name), 'utf8')

/** Two processes, two stores, TLS between them, and the manifests of docs/aggregated-server.md. */
describe('aggregated server, in a process of its own', () => {
  let directory: string
  let front: StrataProcess
  let behind: StrataProcess
  let behindPort: number
  const file = (name: string): string => join(directory, name)

  const run = (args: readonly string[], input?: unknown): Promise<Ran> =>
    kubectl(args, { kubeconfig: file('front.yaml'), home: directory, input })
  const ok = async (args: readonly string[], input?: unknown): Promise<string> => {
    const { code, stdout, stderr } = await run(args, input)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const apply = async (name: string, text: string): Promise<void> => {
    await writeFile(file(name), text)
    await ok(['apply', '-f', file(name)])
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'strata-aggregated-'))
    const [frontPort = 0, port = 0] = await freePorts(2)
    behindPort = port
    front = serve('front', frontPort, [
      ...['--kubeconfig-out', file('front.yaml')],
      ...['--service-address', `shop/api=https://127.0.0.1:${port}`],
    ])
    await ready(front, 'front', frontPort)
    await until('there is a kubeconfig', () => readFile(file('front.yaml')).catch(() => undefined))
    await apply('rights.yaml', await example('rights.yaml'))
    const token = (await ok(['create', 'token', 'api', '-n', 'shop'])).trim()
    const config = parse(await readFile(file('front.yaml'), 'utf8'))
    for (const each of config.users) each.user = { token }
    await writeFile(file('aggregator.yaml'), stringify(config))
    behind = serve('behind', port, [
      ...['--aggregated', '--kubeconfig', file('aggregator.yaml'), '--service-name', 'shop/api'],
      ...['--resources', lighthouseModule],
    ])
    await ready(behind, 'behind', port)
    const ca = await readFile(file('behind/pki/ca.crt'), 'base64')
    await apply('apiservices.yaml', (await example('apiservices.yaml')).replaceAll('CA_BUNDLE', ca))
    const services = ['v1', 'v2'].map((version) => `apiservice/${version}.lighthouse.example.dev`)
    await ok(['wait', '--for=condition=Available', ...services, '--timeout=30s'])
  })
  after(async () => {
    await behind?.terminate()
    await front?.terminate()
    await rm(directory, { recursive: true, force: true })
  })

  function serve(name: string, port: number, more: readonly string[]): StrataProcess {
    return new StrataProcess(name, [
      'serve',
      '--data-dir',
      file(name),
      '--secure-port',
      String(port),
      ...more,
    ])
  }
  async function ready(server: StrataProcess, name: string, port: number): Promise<void> {
    const ca = await until('there is a CA', () => {
      assert.ok(server.running, server.output)
      return readFile(file(`${name}/pki/ca.crt`), 'utf8').catch(() => undefined)
    })
    await untilReady(server, { url: `https://127.0.0.1:${port}`, ca, token: '' })
  }

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
    const [explained, resources, records] = await Promise.all([
      ok(['explain', 'beacons.spec', '--api-version=lighthouse.example.dev/v1']),
      ok(['api-resources', '--api-group=lighthouse.example.dev', '-o', 'name']),
      ok(['get', '--raw', `${root}/storageagreements`]),
    ])
    assert.match(explained, /everySeconds/)
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
    const server = [`--server=https://127.0.0.1:${behindPort}`, '--insecure-skip-tls-verify']
    const token = (await ok(['create', 'token', 'api', '-n', 'shop'])).trim()
    // The rights of the aggregated server itself do not include its kinds.
    const direct = await kubectl(['get', '--raw', beaconPath('v1'), ...server, '--token', token], {
      ...{ kubeconfig: '/dev/null', home: directory },
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
})
