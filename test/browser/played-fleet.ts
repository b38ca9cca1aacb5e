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
  readonly server?: number
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

  /** Asks one server; the first one by default. */
  async ask(method: string, target: string, value?: object, server = 0): Promise<string> {
    const transport = this.#transports[server]
    assert.ok(transport, `server ${server}`)
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
    await this.createLantern('guarded', { labels: { guarded: 'yes' } })
  }

  createLantern(name: string, { labels = {}, server = 0 }: LanternOptions = {}): Promise<string> {
    const kind = { apiVersion: 'harbour.example.dev/v1', kind: 'Lantern' }
    const lantern = { ...kind, metadata: { name, labels }, spec: { oil: 5 } }
    return this.ask('POST', lanterns, lantern, server)
  }

  /** From now on a webhook denies every change of a guarded lantern, also that of a migration. */
  async guardLanterns(origin: string, ca: string): Promise<void> {
    const rule = { apiGroups: ['harbour.example.dev'], apiVersions: ['*'], resources: ['lanterns'] }
    const webhook = {
      name: 'guard.example.dev',
      clientConfig: { url: `${origin}/deny`, caBundle: Buffer.from(ca).toString('base64') },
      rules: [{ operations: ['UPDATE'], ...rule }],
      objectSelector: { matchLabels: { guarded: 'yes' } },
      ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
    }
    const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    await this.ask('POST', hooks, { metadata: { name: 'guard' }, webhooks: [webhook] })
  }

  /** How many writes of a server the store has refused because the agreement had moved on. */
  async refusedByFence(server: number): Promise<number> {
    const metrics = await this.ask('GET', '/metrics', undefined, server)
    const [, count = '0'] = /^strata_fence_broken_guards_total (\d+)$/m.exec(metrics) ?? []
    return Number(count)
  }

  /** A token of a user who may do nothing. */
  async tokenWithoutRights(): Promise<string> {
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await this.ask('POST', accounts, { metadata: { name: 'guest' } })
    const answer = JSON.parse(await this.ask('POST', `${accounts}/guest/token`, { spec: {} }))
    return answer.status.token
  }

  close(): void {
    for (const each of this.#transports) each.close()
  }
}
