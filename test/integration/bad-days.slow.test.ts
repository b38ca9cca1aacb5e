import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createProgram } from '@strata/cli'
import { severalAtOnce, silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport } from '@strata/world/node'
import { lampDefinition, lampName, lampsName, lampsPath } from '../e2e/lamps.ts'
import { ask } from '../support/ask.ts'
import { createCertificates } from '../support/certificates.ts'
import { isFullSize } from '../support/full-size.ts'
import { tokenKubeconfig } from '../support/kubectl.ts'
import { LoneServer } from '../support/lone-server.ts'
import { StrataProcess, strataCommand } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const crdCount = isFullSize ? 300 : 20
const objectCount = isFullSize ? 100_000 : 2_000
const noteBytes = 1_000
/** What is not collected yet of earlier pages. At full size a command that held all objects would need more. */
const mostGrowth = 2.5

// biome-ignore lint/suspicious/noExplicitAny: documents of several commands.
type Json = any

/** The CRD of lamps, under another name. */
function definitionOf(plural: string, storage: string, versions?: readonly string[]) {
  const { spec, ...lamps } = lampDefinition(storage, versions)
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`
  const names = { plural, singular: `${plural}-one`, kind }
  return { ...lamps, metadata: { name: `${plural}.light.example.dev` }, spec: { ...spec, names } }
}

describe('bad days of those who migrate: slow webhooks, many CRDs, many objects', () => {
  let home = ''
  let server: LoneServer
  let transport: NodeTransport

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'strata-bad-days-'))
    server = await LoneServer.start('bad-days')
    const { port, ca, token } = server
    transport = createNodeTransport({ server: `https://127.0.0.1:${port}`, ca, token })
    await writeFile(join(home, 'kubeconfig'), tokenKubeconfig(server))
  })
  after(async () => {
    transport.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  async function must(status: number, method: string, path: string, body?: unknown) {
    const answer = await ask(transport, method, path, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    return answer.body
  }

  async function strata(...args: readonly string[]) {
    const printed: string[] = []
    const warned: string[] = []
    const code = await createProgram({
      world: createNodeWorld({ log: silentLog }),
      signal: new AbortController().signal,
      ...{ environment: { HOME: home }, isTerminal: false, screen: undefined, execPath: '', entry: '' },
      print: (text) => printed.push(text),
      warn: (text) => warned.push(text),
    }).run([...args, ...(args[1] === 'check' ? [] : ['--kubeconfig', join(home, 'kubeconfig')])])
    return { code, printed: printed.join('\n'), said: [...printed, ...warned].join('\n') }
  }

  test('a slow webhook delays each command, and costs no object', async () => {
    const certificates = await createCertificates()
    const webhook = await WebhookProcess.start(certificates)
    try {
      await must(201, 'POST', crds, lampDefinition('v1'))
      await until('lamps are served', async () => (await ask(transport, 'GET', lampsPath)).status === 200)
      for (let index = 0; index < 10; index++) {
        const metadata = { name: lampName(index) }
        await must(201, 'POST', lampsPath, { apiVersion: 'light.example.dev/v1', kind: 'Lamp', metadata })
      }
      await must(200, 'PATCH', `${crds}/${lampsName}`, lampDefinition('v2'))

      const caBundle = Buffer.from(certificates.ca).toString('base64')
      const hook = {
        ...{ name: 'slow.example.dev', sideEffects: 'None', admissionReviewVersions: ['v1'] },
        clientConfig: { url: `${webhook.origin}/slow`, caBundle },
        rules: [
          {
            operations: ['UPDATE'],
            apiGroups: ['light.example.dev', 'apiextensions.k8s.io'],
            apiVersions: ['*'],
            resources: ['lamps', 'customresourcedefinitions'],
          },
        ],
      }
      await must(201, 'POST', webhooks, {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
        ...{ metadata: { name: 'slow' }, webhooks: [hook] },
      })
      const planned = await strata('plan', 'lamps', '-o', 'json')
      assert.equal(planned.code, 0, planned.said)
      const [plan] = JSON.parse(planned.printed).resources
      assert.deepEqual([plan.total, plan.webhooks], [10, ['slow.example.dev']])
      const migrated = await strata('migrate', 'lamps', '-o', 'json')
      assert.equal(migrated.code, 0, migrated.said)
      const [{ proof: migration, migrated: rewritten }] = JSON.parse(migrated.printed).resources
      assert.deepEqual([migration, rewritten], ['proven', 10], migrated.printed)

      const file = join(home, 'lamps.json')
      await writeFile(file, JSON.stringify(lampDefinition('v2', ['v2'])))
      const upgraded = await strata('crd', 'upgrade', file, '--yes', '-o', 'json')
      assert.equal(upgraded.code, 0, upgraded.said)
      const [{ result, proof }] = JSON.parse(upgraded.printed).definitions
      assert.deepEqual([result, proof], ['upgraded', 'proven'])
      const { status } = await must(200, 'GET', `${crds}/${lampsName}`)
      assert.deepEqual(status.storedVersions, ['v2'])
    } finally {
      await ask(transport, 'DELETE', `${webhooks}/slow`)
      await webhook.kill()
      await certificates.remove()
    }
  })

  test(`${crdCount} CRDs: all are inspected, migrated, pruned, checked and upgraded by one command each`, async (t) => {
    const names = Array.from({ length: crdCount }, (_, index) => `things${index}`)
    const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      const beganMs = performance.now()
      const value = await run()
      t.diagnostic(`${what}: ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
      return value
    }
    await timed('created', () =>
      severalAtOnce(8, names, async (plural) => {
        await must(201, 'POST', crds, definitionOf(plural, 'v1'))
      }),
    )
    const pathOf = (plural: string): string => lampsPath.replace('lamps', plural)
    await timed('filled', () =>
      severalAtOnce(8, names, async (plural) => {
        const { kind } = definitionOf(plural, 'v1').spec.names
        await until('it is served', async () => (await ask(transport, 'GET', pathOf(plural))).status === 200)
        await must(201, 'POST', pathOf(plural), {
          ...{ apiVersion: 'light.example.dev/v1', kind, metadata: { name: 'one' } },
        })
        const name = `${plural}.light.example.dev`
        await must(200, 'PATCH', `${crds}/${name}`, definitionOf(plural, 'v2'))
      }),
    )
    const inspected = await timed('inspect', () => strata('inspect', '-o', 'json'))
    assert.equal(inspected.code, 0, inspected.said)
    const isThing = ({ resource }: { resource: string }): boolean => resource.startsWith('things')
    assert.equal(JSON.parse(inspected.printed).resources.filter(isThing).length, crdCount)

    const migrated = await timed('migrate --all', () => strata('migrate', '--all', '-o', 'json'))
    assert.equal(migrated.code, 0, migrated.said)
    const done = JSON.parse(migrated.printed).resources.filter(isThing)
    assert.deepEqual(
      [...new Set(done.map((each: { proof: string; total: number }) => `${each.proof} ${each.total}`))],
      ['proven 1'],
    )
    assert.equal(done.length, crdCount)
    const pruned = await timed('prune --all', () => strata('prune', '--all'))
    assert.equal(pruned.code, 0, pruned.said)

    const releases = ['old', 'new'].map((each) => join(home, each))
    for (const [index, directory] of releases.entries()) {
      await mkdir(directory)
      const versions = index === 0 ? ['v1', 'v2'] : ['v2']
      const text = names.map((each) => JSON.stringify(definitionOf(each, 'v2', versions))).join('\n---\n')
      await writeFile(join(directory, 'crds.yaml'), text)
    }
    const checked = await timed('crd check', () => strata('crd', 'check', ...releases, '-o', 'json'))
    assert.equal(JSON.parse(checked.printed).crds.length, crdCount, checked.said)
    const newest = releases.slice(1)
    const upgraded = await timed('crd upgrade', () =>
      strata('crd', 'upgrade', ...newest, '--yes', '-o', 'json'),
    )
    assert.equal(upgraded.code, 0, upgraded.said)
    const results = JSON.parse(upgraded.printed).definitions.map((each: { result: string }) => each.result)
    assert.deepEqual(results, Array(crdCount).fill('upgraded'))
  })

  /** As a process of its own, whose memory is measured; garbage is collected early. */
  async function measured(...args: readonly string[]) {
    const report =
      'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))'
    const flags = ['--kubeconfig', join(home, 'kubeconfig'), '-o', 'json']
    const command = new StrataProcess(args.join(' '), [...args, ...flags], strataCommand, {
      ...{ nodeFlags: ['--max-semi-space-size=1', '--import', report], environment: { HOME: home } },
    })
    const { code } = await command.exited
    assert.equal(code, 0, command.output)
    const [, peak] = /peak (\d+)$/.exec(command.output) ?? []
    return { peakMiB: Number(peak) / 1024, printed: JSON.parse(command.stdout) }
  }

  test(`${objectCount} objects of one kind: each command reads them page by page`, async (t) => {
    const counts = { fews: 20, manys: objectCount }
    for (const [plural, count] of Object.entries(counts)) {
      const definition = definitionOf(plural, 'v1')
      const path = lampsPath.replace('lamps', plural)
      await must(201, 'POST', crds, definition)
      await until('it is served', async () => (await ask(transport, 'GET', path)).status === 200)
      const { kind } = definition.spec.names
      await severalAtOnce(
        32,
        Array.from({ length: count }, (_, index) => index),
        async (index) => {
          const metadata = { name: lampName(index), annotations: { note: 'n'.repeat(noteBytes) } }
          await must(201, 'POST', path, { apiVersion: 'light.example.dev/v1', kind, metadata })
        },
      )
      await must(200, 'PATCH', `${crds}/${definition.metadata.name}`, definitionOf(plural, 'v2'))
      const file = definitionOf(plural, 'v2', ['v2'])
      await writeFile(join(home, `${plural}.json`), JSON.stringify(file))
    }
    type Counted = (count: number) => readonly [seen: (printed: Json) => unknown, want: unknown]
    const commands: readonly [args: (plural: string) => readonly string[], seen: Counted][] = [
      [(name) => ['inspect', name], (count) => [({ resources }) => resources[0].objects.count, count]],
      [(name) => ['plan', name], (count) => [({ resources }) => resources[0].total, count]],
      [
        (name) => ['migrate', name, '--through-api'],
        (count) => [({ resources }) => [resources[0].proof, resources[0].migrated], ['proven', count]],
      ],
      [
        (name) => ['crd', 'upgrade', join(home, `${name}.json`), '--yes'],
        (count) => [
          ({ definitions }) => [definitions[0].result, definitions[0].objects],
          ['upgraded', count],
        ],
      ],
    ]
    for (const [args, counted] of commands) {
      const peaks: number[] = []
      for (const [plural, count] of Object.entries(counts)) {
        const beganMs = performance.now()
        const { peakMiB, printed } = await measured(...args(plural))
        const [seen, want] = counted(count)
        assert.deepEqual(seen(printed), want)
        peaks.push(peakMiB)
        const seconds = ((performance.now() - beganMs) / 1000).toFixed(1)
        t.diagnostic(`${args(plural)[0]} of ${count}: ${seconds} s, ${peakMiB.toFixed(0)} MiB`)
      }
      const [few = 0, many = Number.POSITIVE_INFINITY] = peaks
      assert.ok(many < mostGrowth * few, `${args('').join(' ')}: ${few} MiB, then ${many} MiB`)
    }
  })
})
