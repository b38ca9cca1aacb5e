import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { readAll, utf8 } from '@strata/world'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { until } from '../support/until.ts'
import type { UpFleet } from '../support/up-process.ts'

export const patience = { giveUpMs: 60_000 }
export const lanternCrd = 'lanterns.harbour.example.dev'
const lanterns = '/apis/harbour.example.dev/v1/namespaces/default/lanterns'
const beacons = '/apis/lighthouse.example.dev/v1/namespaces/default/beacons'

interface LanternOptions {
  readonly labels?: Readonly<Record<string, string>>
}

/** The servers of a playground, as an administrator reaches each of them. */
export class PlayedFleet {
  readonly urls: readonly string[]
  readonly #transports: readonly NodeTransport[]

  private constructor(urls: readonly string[], transports: readonly NodeTransport[]) {
    this.urls = urls
    this.#transports = transports
  }

  static async of({ kubeconfig }: UpFleet): Promise<PlayedFleet> {
    const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8'))
    const urls: readonly string[] = clusters.map(
      ({ cluster }: { cluster: { server: string } }) => cluster.server,
    )
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
    const { token } = users[0].user
    return new PlayedFleet(
      urls,
      urls.map((server) => createNodeTransport({ server, ca, token })),
    )
  }

  /** Asks the first server. */
  async ask(method: string, target: string, value?: object): Promise<string> {
    const [transport] = this.#transports
    assert.ok(transport)
    const body = value === undefined ? {} : { body: utf8.encode(JSON.stringify(value)) }
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { 'content-type': type, accept: '*/*' }
    const { signal } = new AbortController()
    const answer = await transport({ method, target, headers, ...body, signal })
    const text = utf8.decode(await readAll(answer.body))
    assert.ok(answer.status < 300, `${method} ${target}: ${answer.status} ${text}`)
    return text
  }

  async createBeacons(count: number): Promise<void> {
    const make = (index: number) =>
      this.ask('POST', beacons, { metadata: { name: `beacon-${index}` }, spec: { everySeconds: 3 } })
    await Promise.all(Array.from({ length: count }, (_, index) => make(index)))
  }

  /** A CRD that is stored in v1, and an object of it that a webhook may guard. */
  async createLanterns(): Promise<void> {
    const properties = { spec: { type: 'object', properties: { oil: { type: 'integer' } } } }
    const version = (name: string) => ({
      ...{ name, served: true, storage: name === 'v1' },
      schema: { openAPIV3Schema: { type: 'object', properties } },
    })
    await this.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: lanternCrd },
      spec: {
        ...{ group: 'harbour.example.dev', scope: 'Namespaced' },
        names: { plural: 'lanterns', singular: 'lantern', kind: 'Lantern' },
        versions: [version('v1'), version('v2')],
      },
    })
    const isServed = (): Promise<true | undefined> =>
      this.createLantern('full').then(
        () => true as const,
        () => undefined,
      )
    await until('lanterns are served', isServed, patience)
    for (const each of ['guarded', 'stuck']) await this.createLantern(each, { labels: { [each]: 'yes' } })
  }

  createLantern(name: string, { labels = {} }: LanternOptions = {}): Promise<string> {
    const kind = { apiVersion: 'harbour.example.dev/v1', kind: 'Lantern' }
    const lantern = { ...kind, metadata: { name, labels }, spec: { oil: 5 } }
    return this.ask('POST', lanterns, lantern)
  }

  /** From now on a webhook denies every change of a guarded lantern, also by a migration, and never answers about a stuck one. */
  async guardLanterns(origin: string, ca: string): Promise<void> {
    const caBundle = Buffer.from(ca).toString('base64')
    const rule = { apiGroups: ['harbour.example.dev'], apiVersions: ['*'], resources: ['lanterns'] }
    const webhook = (path: string, label: string) => ({
      name: `${label}.example.dev`,
      clientConfig: { url: `${origin}/${path}`, caBundle },
      rules: [{ operations: ['UPDATE'], ...rule }],
      objectSelector: { matchLabels: { [label]: 'yes' } },
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 1 },
    })
    const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    const webhooks = [webhook('deny', 'guarded'), webhook('silent', 'stuck')]
    await this.ask('POST', hooks, { metadata: { name: 'guard' }, webhooks })
  }

  /** Creates objects of RBAC. */
  async createAll(objects: readonly { readonly kind: string; readonly metadata: object }[]): Promise<void> {
    const group = '/apis/rbac.authorization.k8s.io/v1'
    for (const each of objects) {
      const { namespace } = each.metadata as { readonly namespace?: string }
      const place = namespace === undefined ? group : `${group}/namespaces/${namespace}`
      await this.ask('POST', `${place}/${each.kind.toLowerCase()}s`, each)
    }
  }

  /** Of the migration of lanterns. */
  async annotationOfMigration(name: string): Promise<string | undefined> {
    const { items } = JSON.parse(
      await this.ask('GET', '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'),
    )
    const own = items.filter(
      ({ spec }: { spec: { resource: { resource: string } } }) => spec.resource.resource === 'lanterns',
    )
    return own[0]?.metadata.annotations?.[name]
  }

  /** A token of a new service account, which may do what was granted to it before. */
  async tokenOf(name: string): Promise<string> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await this.ask('POST', accounts, { metadata: { name } })
    const answer = JSON.parse(await this.ask('POST', `${accounts}/${name}/token`, { spec: {} }))
    return answer.status.token
  }

  close(): void {
    for (const each of this.#transports) each.close()
  }
}
