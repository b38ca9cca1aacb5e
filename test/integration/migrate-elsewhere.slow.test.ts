import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createProgram } from '@strata/cli'
import { type Clock, silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport, nodeClock } from '@strata/world/node'
import { lampDefinition, lampName, lampsName, lampsPath } from '../e2e/lamps.ts'
import { ask } from '../support/ask.ts'
import { LoneServer } from '../support/lone-server.ts'
import { until } from '../support/until.ts'

const count = 40
const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${lampsName}`

/** A minute passes in two seconds: where nothing is fenced the first write has to wait for more than one. */
const hasty: Clock = {
  wallMs: nodeClock.wallMs,
  monotonicMs: () => nodeClock.monotonicMs() * 30,
  after: (delayMs, callback) => nodeClock.after(delayMs / 30, callback),
  soon: nodeClock.soon,
}

/** A server that has none of Strata's groups, nor storage versions: as a client sees any other Kubernetes cluster. */
describe('migrate, verify, prune and census on another cluster', () => {
  let home = ''
  let server: LoneServer
  let transport: NodeTransport
  let kubeconfig = ''

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-elsewhere-'))
    const hidden = ['strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io']
    const off = hidden.map((group) => `${group}/v1alpha1=false`).join(',')
    server = await LoneServer.start('elsewhere', ['--runtime-config', off])
    const url = `https://127.0.0.1:${server.port}`
    transport = createNodeTransport({ server: url, ca: server.ca, token: server.token })
    kubeconfig = join(home, 'kubeconfig')
    const ca = Buffer.from(server.ca).toString('base64')
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token: server.token } }],
    }
    await writeFile(kubeconfig, JSON.stringify(config))
    await must(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', lampDefinition('v1'))
    for (let index = 0; index < count; index++) {
      const metadata = { name: lampName(index) }
      await must(201, 'POST', lampsPath, { apiVersion: 'light.example.dev/v1', kind: 'Lamp', metadata })
    }
    await must(200, 'PATCH', crd, { spec: { versions: lampVersions('v2') } })
  })
  after(async () => {
    transport.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  const lampVersions = (storage: string): unknown =>
    (lampDefinition(storage) as { spec: { versions: unknown } }).spec.versions

  async function must(status: number, method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await ask(transport, method, path, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    return answer.body
  }

  const strata = (...args: readonly string[]) => run(new AbortController().signal, ...args)

  async function run(
    signal: AbortSignal,
    ...args: readonly string[]
  ): Promise<{ code: number; said: string }> {
    const said: string[] = []
    const world = { ...createNodeWorld({ log: silentLog }), clock: hasty }
    const [command = '', ...rest] = args
    const code = await createProgram({
      ...{ world, signal, environment: { HOME: home }, isTerminal: false, screen: undefined },
      ...{ execPath: '', entry: '', print: (text) => said.push(text), warn: (text) => said.push(text) },
    }).run([...command.split(' '), '--kubeconfig', kubeconfig, ...rest])
    return { code, said: said.join('\n') }
  }

  test('before: nothing is known, nothing can be counted, and nothing is pruned', async () => {
    const verified = await strata('verify', 'lamps')
    assert.equal(verified.code, 6)
    assert.match(verified.said, /unknown +light\.example\.dev\/v2 +CRD, generation 2: /)
    assert.match(
      verified.said,
      /no migration is on record\n {2}Next: strata migrate lamps\.\S+ --kubeconfig \S+, which sends each object/,
    )
    const counted = await strata('census', 'lamps')
    assert.equal(counted.code, 6)
    assert.match(counted.said, /^lamps\.light\.example\.dev +\? +\? +\? +cannot be read here$/m)
    assert.match(counted.said, /the CRD lists the stored versions v1, v2; its storage version is v2/)
    for (const flags of [[], ['--accept', 'observed-clean']]) {
      const pruned = await strata('prune', 'lamps', ...flags)
      assert.equal(pruned.code, 1, pruned.said)
    }
    const blind = await strata('prune', 'lamps', '--accept', 'unknown', '--dry-run')
    assert.equal(blind.code, 0)
    assert.match(blind.said, /Objects may still be stored in the dropped versions/)
  })

  test('planned: every write as a dry run, and nothing is written', async () => {
    const { code, said } = await strata('plan', 'lamps', '--out', join(home, 'plan.json'))
    assert.equal(code, 0, said)
    assert.match(said, new RegExp(`^${lampsName} +ready +${count} +0 +0 +about \\S+ +light`, 'm'))
  })

  test('migrated: the wait is shown, observed clean by a second pass, and written down in a file', async () => {
    const { code, said } = await strata('migrate', '--plan', join(home, 'plan.json'))
    assert.equal(code, 3, said)
    assert.match(said, /writes are not fenced: waiting \d+s before the first write/)
    assert.match(said, new RegExp(`observed clean +${count} +${count} +0 +0 `))
    const [cluster = ''] = await readdir(join(home, '.local/state/strata/migrations'))
    assert.match(cluster, /^[0-9a-f-]{36}$/, 'the uid of kube-system')
    const verified = await strata('verify', 'lamps', '-o', 'json')
    assert.equal(verified.code, 3)
    assert.equal((await strata('verify', 'lamps', '--accept', 'observed-clean')).code, 0)
    const [seen] = JSON.parse(verified.said).resources
    assert.equal(seen.verdict, 'observed clean')
    assert.match(seen.because, /^strata migrate at \S+ migrated everything to light\.example\.dev\/v2/)
  })

  test('what was observed holds for this state of the definition, and no other', async () => {
    await must(200, 'PATCH', crd, { spec: { names: { shortNames: ['lmp'] } } })
    assert.equal((await strata('verify', 'lamps')).code, 6)
    const late = strata('migrate', '--plan', join(home, 'plan.json'))
    await assert.rejects(late, { exitCode: 4, message: /nothing was written: .*generation 2 became 3/ })
    const written = await strata('migrate', 'lamps', '-o', 'json')
    assert.equal(written.code, 3, written.said)
    assert.match(JSON.parse(written.said).resources[0].because, /^a pass over everything found nothing/)
    assert.equal((await strata('verify', 'lamps', '--accept', 'observed-clean')).code, 0)
  })

  test('pruned, if this is enough for the user', async () => {
    const refused = await strata('prune', 'lamps')
    assert.equal(refused.code, 1)
    assert.match(refused.said, /the result of the migration is "observed clean", and "proven" is required/)
    const pruned = await strata('prune', 'lamps', '--accept', 'observed-clean')
    assert.equal(pruned.code, 0, pruned.said)
    const { status } = (await must(200, 'GET', crd)) as { status: { storedVersions: string[] } }
    assert.deepEqual(status.storedVersions, ['v2'])
    const again = await strata('prune', '--all')
    assert.equal(again.code, 0)
    assert.match(again.said, /^Nothing to prune: each of 1 CRDs has one stored version\.$/)
  })

  test('a built-in kind: by the hash in discovery, of samples or of the servers named', async () => {
    const sampled = await strata('verify', 'configmaps')
    assert.match(sampled.said, /hash \S+ in discovery, in 5 samples through one address/)
    const named = await strata('verify', 'cm', '--server', `https://127.0.0.1:${server.port}`)
    assert.match(named.said, /hash \S+ in discovery, by the one server named/)
    assert.deepEqual([sampled.code, named.code], [6, 6])
  })

  const mistakes: readonly [args: readonly string[], code: number, what: RegExp][] = [
    [['migrate'], 2, /name resources, or use --all/],
    [['verify', 'lamps', '--all'], 2, /not both/],
    [['census', 'nothing'], 5, /"nothing" is not served/],
    [['prune', 'nothing'], 5, /no CRD has this name/],
    [['migrate', 'lamps', '--no-wait', '--dry-run'], 2, /exclude each other/],
    [['migrate', 'lamps', '--context', 'd'], 5, /no context "d"/],
  ]
  for (const [args, exitCode, message] of mistakes) {
    test(`strata ${args.join(' ')}: exit code ${exitCode}`, () =>
      assert.rejects(strata(...args), { name: 'CliError', exitCode, message }))
  }

  test('Ctrl-C: exit code 130, whatever was going on', async () => {
    const stop = new AbortController()
    stop.abort(new Error('stopped by SIGINT'))
    for (const command of ['migrate', 'census', 'verify', 'prune']) {
      await assert.rejects(run(stop.signal, command, 'lamps'), { name: 'CliError', exitCode: 130 })
    }
  })

  test('a flag that there is not: exit code 2', async () => {
    for (const command of ['migrate', 'census', 'verify', 'prune']) {
      assert.equal((await strata(command, 'lamps', '--nonsense')).code, 2)
    }
  })

  test('--no-wait, where no runner heeds it', async () => {
    const { code, said } = await strata('migrate', 'lamps', '--no-wait')
    assert.equal(code, 5)
    assert.match(said, /no controllers run migrations in this cluster/)
  })

  test('several at the same time: one wait, and none for a CRD that was migrated as it is', async () => {
    const { spec, ...bulbs } = lampDefinition('v1') as { spec: object }
    const names = { plural: 'bulbs', singular: 'bulb', kind: 'Bulb' }
    const metadata = { name: 'bulbs.light.example.dev' }
    await must(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...{ ...bulbs, metadata, spec: { ...spec, names } },
    })
    const bulbsPath = lampsPath.replace('lamps', 'bulbs')
    await until('it is served', async () => (await ask(transport, 'GET', bulbsPath)).status === 200)
    const { code, said } = await strata('migrate', 'lamps', 'bulbs')
    assert.equal(code, 3, said)
    assert.deepEqual(said.match(/^\S+ writes are not fenced: waiting /gm), [
      'bulbs.light.example.dev: writes are not fenced: waiting ',
    ])
    assert.match(said, /^bulbs\.\S+ +observed clean /m)
  })

  test('crd upgrade: --yes alone does not accept "observed clean", and leaves the CRD as it is', async () => {
    const { spec } = lampDefinition('v2', ['v2'])
    const names = { plural: 'globes', singular: 'globe', kind: 'Globe' }
    const metadata = { name: 'globes.light.example.dev' }
    const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
    const path = `${crd.replace(lampsName, '')}${metadata.name}`
    const old = { ...kind, metadata, spec: { ...lampDefinition('v1').spec, names } }
    await must(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', old)
    const globesPath = lampsPath.replace('lamps', 'globes')
    await until('it is served', async () => (await ask(transport, 'GET', globesPath)).status === 200)
    const globe = { apiVersion: 'light.example.dev/v1', kind: 'Globe', metadata: { name: 'one' } }
    await must(201, 'POST', globesPath, globe)
    const file = join(home, 'globes.json')
    await writeFile(file, JSON.stringify({ ...kind, metadata, spec: { ...spec, names } }))
    const before = await must(200, 'GET', path)
    const refused = await strata('crd upgrade', file, '--yes')
    assert.equal(refused.code, 1, refused.said)
    assert.match(refused.said, /the best result is "observed clean".*--accept observed-clean/s)
    assert.deepEqual(await must(200, 'GET', path), before)
    const accepted = await strata('crd upgrade', file, '--yes', '--accept', 'observed-clean')
    assert.equal(accepted.code, 0, accepted.said)
    const after = (await must(200, 'GET', path)) as {
      spec: { versions: { name: string }[] }
      status: { storedVersions: string[] }
    }
    assert.deepEqual(
      after.spec.versions.map(({ name }) => name),
      ['v2'],
    )
    assert.deepEqual(after.status.storedVersions, ['v2'])
  })

  test('some objects only: rewritten once, not recorded, and no evidence about the others', async () => {
    await must(200, 'PATCH', crd, { spec: { versions: lampVersions('v1') } })
    const one = ['--field-selector', `metadata.name=${lampName(3)}`]
    const { code, said } = await strata('migrate', 'lamps', '-n', 'default', ...one, '-o', 'json')
    assert.equal(code, 6, said)
    const [report] = JSON.parse(said).resources
    assert.deepEqual(
      [report.outcome, report.proof, report.total, report.migrated],
      ['succeeded', 'unknown', 1, 1],
    )
    assert.equal(report.record, undefined)
    assert.equal((await strata('verify', 'lamps')).code, 6)
    const usage = { name: 'CliError', exitCode: 2, message: /the controllers always migrate all objects/ }
    await assert.rejects(strata('migrate', 'lamps', '-n', 'default', '--no-wait'), usage)
    await assert.rejects(strata('migrate', 'namespaces', '-n', 'default'), /namespaces has no namespaces/)
  })
})
