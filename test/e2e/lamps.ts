import assert from 'node:assert/strict'
import { ask } from '../support/ask.ts'
import { kubectl, type Ran } from '../support/kubectl.ts'
import { StrataProcess } from '../support/serve-process.ts'
import type { LiveFleet } from './live-fleet.ts'

export const lampsName = 'lamps.light.example.dev'
export const lampsPath = '/apis/light.example.dev/v1/namespaces/default/lamps'
export const lampName = (index: number): string => `lamp-${String(index).padStart(5, '0')}`

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } },
  },
}

/** The definition with these versions, stored in one of them. */
export function lampDefinition(storage: string, versionNames: readonly string[] = ['v1', 'v2']) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: lampsName },
    spec: {
      group: 'light.example.dev',
      names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', shortNames: ['lp'] },
      scope: 'Namespaced',
      versions: versionNames.map((name) => ({ name, served: true, storage: name === storage, schema })),
    },
  }
}

/** A fleet as an operator has it before them: kubectl and strata at hand. */
export class Desk {
  readonly fleet: LiveFleet

  constructor(fleet: LiveFleet) {
    this.fleet = fleet
  }

  kubectl(args: readonly string[], input?: unknown): Promise<Ran> {
    const { kubeconfig, directory: home } = this.fleet
    return kubectl(args, { kubeconfig, home, input })
  }

  /** As `kubectl`, and it has to go well. */
  async mustKubectl(args: readonly string[], input?: unknown): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl(args, input)
    assert.equal(code, 0, stderr)
    return stdout
  }

  strata(...args: readonly string[]): StrataProcess {
    const [command = '', ...rest] = args
    const process = new StrataProcess(command, [command, '--kubeconfig', this.fleet.kubeconfig, ...rest])
    this.fleet.processes.push(process)
    return process
  }

  /** Its exit code and what it has said. */
  async ran(...args: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
    const process = this.strata(...args)
    const { code } = await process.ended()
    return { code, said: process.output }
  }

  /** Lamps, stored in v1. */
  async fill(count: number): Promise<void> {
    await this.mustKubectl(['create', '-f', '-'], lampDefinition('v1'))
    await this.mustKubectl(['wait', '--for=condition=Established', `crd/${lampsName}`])
    const transport = this.fleet.transport('a')
    const create = async (index: number): Promise<void> => {
      const metadata = { name: lampName(index) }
      const lamp = { apiVersion: 'light.example.dev/v1', kind: 'Lamp', metadata, spec: { watts: index } }
      const { status, body } = await ask(transport, 'POST', lampsPath, lamp)
      assert.equal(status, 201, JSON.stringify(body))
    }
    for (let first = 0; first < count; first += 50) {
      const length = Math.min(50, count - first)
      await Promise.all(Array.from({ length }, (_, offset) => create(first + offset)))
    }
  }

  async switchTo(storage: string, versionNames?: readonly string[]): Promise<Ran> {
    return this.kubectl(['replace', '-f', '-'], lampDefinition(storage, versionNames))
  }

  async storedVersions(): Promise<unknown> {
    return JSON.parse(
      await this.mustKubectl(['get', 'crd', lampsName, '-o', 'jsonpath={.status.storedVersions}']),
    )
  }

  /** How many are stored in which version: what is really there. */
  stored(): Promise<Readonly<Record<string, number>>> {
    return this.fleet.withStore(async (store) => {
      const counts: Record<string, number> = {}
      const prefix = '/registry/light.example.dev/lamps/'
      const { entries } = await store.list({ prefix }, new AbortController().signal)
      for (const { value } of entries) {
        const { apiVersion } = JSON.parse(Buffer.from(value).toString())
        counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
      }
      return counts
    })
  }
}
