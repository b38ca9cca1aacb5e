import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createProgram, printedRights, rolesOf } from '@strata/cli'
import { silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport } from '@strata/world/node'
import { lampDefinition, lampsName, lampsPath } from '../e2e/lamps.ts'
import { ask } from '../support/ask.ts'
import { type Certificates, createCertificates } from '../support/certificates.ts'
import { type EtcdCluster, startEtcd } from '../support/etcd.ts'
import { LoneServer } from '../support/lone-server.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const maps = '/api/v1/namespaces/default/configmaps'
const key = '/registry/configmaps/default/broken'
const garbage = Buffer.from([0x7b, 0xff, 0x00, 0x80])

interface Repaired {
  readonly name: string
  readonly reason: string
  readonly result: string
  readonly because?: string
  readonly saved?: { readonly file: string; readonly revision: number }
  readonly ways: readonly { readonly kind: string; readonly command?: string }[]
}

/** Strata over etcd, with an object that a schema refuses, one that a webhook denies, and one that cannot be decoded. */
describe('repair: what a migration has set aside', () => {
  let home = ''
  let etcd: EtcdCluster
  let server: LoneServer
  let transport: NodeTransport
  let certificates: Certificates
  let webhook: WebhookProcess
  let kubeconfig = ''
  const base = (text: string | Buffer): string => Buffer.from(text).toString('base64')

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-repair-'))
    certificates = await createCertificates()
    webhook = await WebhookProcess.start(certificates)
    etcd = await startEtcd()
    const gate = ['--feature-gates', 'AllowUnsafeMalformedObjectDeletion=true']
    const store = ['--store', 'etcd', '--etcd-servers', etcd.endpoints.join(',')]
    server = await LoneServer.start('repair', [...store, ...gate])
    const url = `https://127.0.0.1:${server.port}`
    transport = createNodeTransport({ server: url, ca: server.ca, token: server.token })
    kubeconfig = join(home, 'kubeconfig')
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': base(server.ca) } }],
      users: [{ name: 'u', user: { token: server.token } }],
    }
    await writeFile(kubeconfig, JSON.stringify(config))
  })
  after(async () => {
    transport?.close()
    await server?.stop()
    await etcd?.stop()
    await webhook?.kill()
    await certificates?.remove()
    await rm(home, { recursive: true, force: true })
  })

  async function must(status: number, method: string, path: string, body?: unknown) {
    const answer = await ask(transport, method, path, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    return answer.body
  }

  interface Ran {
    readonly code: number
    readonly said: string
    readonly warned: string
  }
  const strata = (...args: readonly string[]): Promise<Ran> => play(args)

  /** At a terminal, if there are answers. */
  async function play(args: readonly string[], answer?: (question: string) => string): Promise<Ran> {
    const said: string[] = []
    const warned: string[] = []
    const signal = new AbortController().signal
    const [command = '', ...rest] = args
    const code = await createProgram({
      ...{ world: createNodeWorld({ log: silentLog }), signal, environment: { HOME: home } },
      ...{ isTerminal: answer !== undefined, screen: undefined, execPath: '', entry: '' },
      ...{ print: (text) => said.push(text), warn: (text) => warned.push(text) },
      ...(answer ? { ask: async (question: string) => answer(question) } : {}),
    })
      .run([command, '--kubeconfig', kubeconfig, ...rest])
      .catch((error: { exitCode?: number; message: string }) => {
        warned.push(error.message)
        return error.exitCode ?? 1
      })
    return { code, said: said.join('\n'), warned: warned.join('\n') }
  }

  async function repair(...args: readonly string[]) {
    const { code, said, warned } = await strata('repair', ...args, '-o', 'json')
    const resources: { resource: string; objects: Repaired[]; because?: string }[] =
      said === '' ? [] : JSON.parse(said).resources
    const objects = new Map(resources.flatMap((each) => each.objects).map((each) => [each.name, each]))
    return {
      code,
      warned,
      resources,
      objects,
      results: Object.fromEntries([...objects].map(([name, each]) => [name, each.result])),
    }
  }

  /** From now on v2 is stored, and needs a number of watts. */
  async function switchToV2(): Promise<void> {
    const { spec, ...definition } = lampDefinition('v2')
    const properties = {
      spec: { type: 'object', required: ['watts'], properties: { watts: { type: 'integer' } } },
    }
    const strict = { openAPIV3Schema: { type: 'object', required: ['spec'], properties } }
    const versions = spec.versions.map((each) => (each.name === 'v2' ? { ...each, schema: strict } : each))
    await must(200, 'PATCH', `${crds}/${lampsName}`, { ...definition, spec: { ...spec, versions } })
  }

  test('set up: two of three lamps are set aside', async () => {
    await must(201, 'POST', crds, lampDefinition('v1'))
    await until('lamps are served', async () => (await ask(transport, 'GET', lampsPath)).status === 200)
    const lamp = (name: string, more: object, labels = {}) =>
      must(201, 'POST', lampsPath, {
        ...{ apiVersion: 'light.example.dev/v1', kind: 'Lamp', metadata: { name, labels } },
        ...more,
      })
    await lamp('fine', { spec: { watts: 1 } })
    await lamp('dark', {})
    await lamp('guarded', { spec: { watts: 1 } }, { guarded: 'yes' })
    const rule = { apiGroups: ['light.example.dev'], apiVersions: ['*'], resources: ['lamps'] }
    const hook = {
      name: 'guard.example.dev',
      clientConfig: { url: `${webhook.origin}/deny`, caBundle: base(certificates.ca) },
      rules: [{ operations: ['UPDATE'], ...rule }],
      objectSelector: { matchLabels: { guarded: 'yes' } },
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
    }
    await must(201, 'POST', hooks, {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      ...{ metadata: { name: 'guard' }, webhooks: [hook] },
    })
    await switchToV2()
    const { code, said } = await strata('migrate', 'lamps')
    assert.equal(code, 1, said)
  })

  test('without flags it writes nothing: reasons, ways and commands', async () => {
    const { code, objects, resources } = await repair()
    assert.equal(code, 1)
    assert.deepEqual(
      resources.map(({ resource }) => resource),
      [lampsName],
    )
    assert.deepEqual([objects.get('dark')?.reason, objects.get('guarded')?.reason], ['Invalid', 'Denied'])
    assert.deepEqual(
      objects.get('dark')?.ways.map(({ kind }) => kind),
      ['edit', 'schema', 'retry'],
    )
    const commands = objects
      .get('guarded')
      ?.ways.map(({ command }) => command?.replace(/ --kubeconfig.*/, ''))
    assert.deepEqual(commands, [
      `kubectl edit ${lampsName} guarded --namespace default`,
      'kubectl edit validatingwebhookconfiguration/guard',
      `strata repair ${lampsName} --object default/guarded --retry`,
    ])
  })

  /** At a terminal: one object is mended; the other one is refused again, asked about again, and skipped. */
  async function walkThrough(): Promise<void> {
    const answers = ['r', 'r', 'd', 's']
    const questions: string[] = []
    const { code, said, warned } = await play(['repair', 'lamps'], (question) => {
      questions.push(question)
      return answers.shift() ?? assert.fail(`it asks once more: ${question}`)
    })
    assert.equal(code, 1, said)
    const wanted = '[r] write it again, [s] skip it, [q] quit: '
    assert.deepEqual([questions, answers], [Array(4).fill(wanted), []])
    const shown = warned
      .split('\n')
      .flatMap((line) => / default\/(\w+): (\w+):/.exec(line)?.slice(1).join(' ') ?? [])
    assert.deepEqual(shown, ['dark Invalid', 'guarded Denied', 'guarded Denied'], warned)
    assert.match(said, /default\/dark.*mended/)
    assert.match(said, /default\/guarded.*refused/)
  }

  test('a retry that is refused again changes nothing; what is mended is taken off the record', async () => {
    const before = await repair('lamps', '--retry')
    assert.deepEqual([before.code, before.results], [1, { dark: 'refused', guarded: 'refused' }])
    await must(200, 'PATCH', `${lampsPath}/dark`, { apiVersion: 'light.example.dev/v2', spec: { watts: 5 } })
    const asked = await repair('lamps', '--retry', '--dry-run')
    assert.deepEqual([asked.code, asked.results], [1, { dark: 'would be mended', guarded: 'refused' }])
    await walkThrough()
    assert.deepEqual((await repair('lamps')).results, { guarded: 'set aside' })
    await must(200, 'DELETE', `${hooks}/guard`)
    const rest = await repair('lamps', '--retry', '--object', 'default/guarded')
    assert.deepEqual([rest.code, rest.results], [0, { guarded: 'mended' }])
    assert.deepEqual([(await repair('lamps')).code, (await repair()).code], [0, 0])
    const { code, said } = await strata('migrate', 'lamps')
    assert.equal(code, 0, said)
  })

  test('what cannot be decoded is deleted only when its bytes are in a file', async () => {
    await must(201, 'POST', maps, { metadata: { name: 'good' } })
    await etcd.nodes[0]?.ask('/v3/kv/put', { key: base(key), value: base(garbage) })
    await until('lists fail', async () => (await ask(transport, 'GET', maps)).status === 500)
    const shown = await repair('configmaps')
    assert.deepEqual([shown.code, shown.results], [1, { broken: 'set aside' }])
    const one = ['configmaps', '--object', 'default/broken', '--delete-undecodable', '--yes']
    const unnamed = await strata('repair', 'configmaps', '--delete-undecodable', '--yes')
    assert.deepEqual([unnamed.code, /give --object for each/.test(unnamed.warned)], [2, true])
    const blind = await repair(...one)
    assert.deepEqual([blind.code, blind.results], [1, { broken: 'refused' }])
    assert.match(blind.objects.get('broken')?.because ?? '', /could not be saved.*--etcd-servers/)
    assert.equal((await ask(transport, 'GET', `${maps}/broken`)).status, 500)
    const store = ['--etcd-servers', etcd.endpoints.join(',')]
    const yes = await repair('configmaps', '--yes', ...store)
    assert.deepEqual([yes.code, yes.results], [1, { broken: 'set aside' }], '--yes alone deletes nothing')

    const noPlace = await repair(...one, ...store, '--save-to', kubeconfig)
    assert.deepEqual([noPlace.code, noPlace.results], [1, { broken: 'refused' }], noPlace.warned)
    const noStore = await repair(...one, '--etcd-snapshot', join(home, 'missing.db'))
    assert.deepEqual([noStore.code, noStore.results], [5, { broken: 'not seen' }], noStore.warned)
    const whole = ['configmaps', '--object', 'default/good', '--delete-undecodable', ...store]
    assert.equal((await repair(...whole)).code, 2, 'the name of an object that is not set aside')
    assert.equal((await ask(transport, 'GET', `${maps}/broken`)).status, 500)

    for (const [user, deleteUndecodable] of [
      ['reader', false],
      ['mender', true],
    ] as const) {
      const rights = printedRights(['repair', 'configmaps'], { deleteUndecodable })
      for (const role of rolesOf(user, rights, [{ kind: 'User', name: user }])) {
        const { namespace } = role.metadata as { namespace?: string }
        const place = namespace === undefined ? '' : `namespaces/${namespace}/`
        const path = `/apis/rbac.authorization.k8s.io/v1/${place}${role.kind.toLowerCase()}s`
        await must(201, 'POST', path, role)
        // A read waits until the server has seen the write.
        await must(200, 'GET', path)
      }
    }
    const denied = await repair(...one, ...store, '--as', 'reader')
    assert.deepEqual([denied.code, denied.results], [1, { broken: 'refused' }], denied.warned)
    assert.match(denied.objects.get('broken')?.because ?? '', /needs the verbs delete and unsafe-delete-/)
    const done = await repair(...one, ...store, '--as', 'mender')
    assert.deepEqual(
      [done.code, done.results],
      [0, { broken: 'deleted' }],
      JSON.stringify([...done.objects.values()]),
    )
    const file = done.objects.get('broken')?.saved?.file ?? ''
    assert.deepEqual(await readFile(file), garbage)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const [cluster = ''] = await readdir(join(home, '.local/state/strata/objects'))
    assert.match(cluster, /^[0-9a-f-]{36}$/, 'the uid of kube-system')
    assert.equal((await ask(transport, 'GET', `${maps}/broken`)).status, 404)
    const { items } = await must(200, 'GET', maps)
    assert.deepEqual(
      items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ['good'],
    )
    assert.equal((await repair('configmaps')).code, 0)
  })
})
