import { sleep, type Transport } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import { until } from '../support/until.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
}
const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema })
const patience = { giveUpMs: 120_000 }

/** CRDs come, get another storage version while they have objects, and go. Each round has a group of its own. */
export class CrdChurn {
  readonly #transport: Transport
  readonly #everyMs: number
  #rounds = 0
  readonly #problems: string[] = []

  /** Each round leaves some events in the history of every resource that it touches, up to the limits of the history. */
  constructor(transport: Transport, everyMs: number) {
    this.#transport = transport
    this.#everyMs = everyMs
  }

  get figures(): { readonly rounds: number; readonly problems: readonly string[] } {
    return { rounds: this.#rounds, problems: this.#problems }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(`soak${this.#rounds % 5}.example.com`, signal)
        this.#rounds++
      } catch (error) {
        if (!signal.aborted) this.#problems.push(error instanceof Error ? error.message : String(error))
      }
      await sleep(nodeClock, this.#everyMs, signal).catch(() => {})
    }
  }

  async #round(group: string, signal: AbortSignal): Promise<void> {
    const name = `things.${group}`
    const things = (versionName: string): string =>
      `/apis/${group}/${versionName}/namespaces/soak-load/things`
    const spec = (stored: string) => ({
      ...{ group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
      versions: [version('v1', stored === 'v1'), version('v2', stored === 'v2')],
    })
    const kind = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
    }
    await this.#expect(201, 'POST', crds, { ...kind, spec: spec('v1') })
    const thing = (each: number) => ({
      ...{ apiVersion: `${group}/v1`, kind: 'Thing' },
      ...{ metadata: { name: `thing-${each}` }, spec: { size: each } },
    })
    await this.#until(`${name} is served`, signal, async () => {
      const { status } = await ask(this.#transport, 'POST', things('v1'), thing(0))
      return status === 201
    })
    for (let each = 1; each < 5; each++) await this.#expect(201, 'POST', things('v1'), thing(each))
    await this.#expect(200, 'PATCH', `${crds}/${name}`, { spec: spec('v2') })
    await this.#until(`things of ${group} are written in v2`, signal, async () => {
      const { status } = await ask(this.#transport, 'PATCH', `${things('v2')}/thing-1`, {
        spec: { size: 100 },
      })
      return status === 200
    })
    const { body } = await ask(this.#transport, 'GET', things('v2'))
    if (body.items?.length !== 5)
      this.#problems.push(`${body.items?.length} of 5 things of ${group} are there`)
    await this.#expect(200, 'DELETE', `${crds}/${name}`)
    await this.#until(`${name} is gone`, signal, async () => {
      const { status } = await ask(this.#transport, 'GET', `${crds}/${name}`)
      return status === 404
    })
  }

  #until(what: string, signal: AbortSignal, condition: () => Promise<boolean>): Promise<boolean> {
    return until(
      what,
      () => {
        signal.throwIfAborted()
        return condition()
      },
      patience,
    )
  }

  async #expect(wanted: number, method: string, target: string, body?: unknown): Promise<void> {
    const { status, body: answer } = await ask(this.#transport, method, target, body)
    if (status !== wanted)
      throw new Error(`${method} ${target} answered ${status}: ${JSON.stringify(answer).slice(0, 300)}`)
  }
}
