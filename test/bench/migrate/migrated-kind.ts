import assert from 'node:assert/strict'
import {
  apiVersionOf,
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  storageAgreements,
} from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { type MigrationResult, migrate, observeTarget } from '@strata/controllers'
import { silentLog } from '@strata/world'
import { createNodeTransport, createNodeWorld } from '@strata/world/node'
import { until } from '../../support/until.ts'
import { inParallel } from '../contestant.ts'
import { createLoadClient } from '../load/create-load-client.ts'
import type { LoadTarget } from '../load/load-client.ts'
import { sendBy } from '../load/send.ts'
import { connections } from '../workloads.ts'

const never = new AbortController().signal
const group = 'migrate.bench.example.com'
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          replicas: { type: 'integer', minimum: 0 },
          paused: { type: 'boolean' },
          note: { type: 'string' },
          ports: {
            type: 'array',
            items: {
              type: 'object',
              properties: { name: { type: 'string' }, port: { type: 'integer' } },
            },
          },
        },
      },
    },
  },
} as const

/** A custom resource whose storage version can be moved to and fro, with objects of 1 KiB. */
export interface MigratedKind {
  readonly objects: number
  readonly client: Client
  readonly resource: GroupResource
  /** Everything is stored in another version than the servers write from now on. */
  outdate(): Promise<void>
  migrate(nextToData: boolean): Promise<MigrationResult>
  close(): void
}

export async function createMigratedKind(
  target: LoadTarget,
  plural: string,
  objects: number,
): Promise<MigratedKind> {
  const { url, token, ca } = target
  const transport = createNodeTransport({ server: url, token, ca })
  const client = createClient({ transport, userAgent: 'bench' })
  const resource = { group, resource: plural }
  let storage = 'v1'
  const versions = () =>
    ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage, schema }))
  const definitions = client.resource(customResourceDefinitions, 'v1')
  const name = `${plural}.${group}`
  const spec = { group, names: { plural, kind: `Kind${plural}` }, scope: 'Namespaced', versions: versions() }
  await definitions.create({ metadata: { name }, spec } as unknown as CustomResourceDefinition, never)

  const untilAgreed = (): Promise<unknown> =>
    until(`${name} is agreed on in ${storage}`, async () => {
      try {
        const records = client.resource(storageAgreements, 'v1alpha1')
        const { status } = await records.get({ name: `${group}.${plural}` }, never)
        return status.agreedVersion === apiVersionOf(group, storage)
      } catch {
        return false
      }
    })
  await untilAgreed()
  await fill(target, plural, objects)

  const world = createNodeWorld({ log: silentLog })
  const observe = (signal: AbortSignal) => observeTarget({ client, resource }, signal)
  return {
    objects,
    client,
    resource,
    outdate: async () => {
      storage = storage === 'v1' ? 'v2' : 'v1'
      await definitions.patch({ name }, { spec: { versions: versions() } }, never)
      await untilAgreed()
    },
    migrate: async (nextToData) => {
      const decision = await observe(never)
      assert.ok(decision.agreed, JSON.stringify(decision))
      const result = await migrate({
        ...{ world, client, observe, nextToData, target: decision.target, signal: never },
      })
      const { migrated } = result.progress
      assert.deepEqual([result.outcome, result.proof, migrated], ['succeeded', 'proven', objects])
      return result
    },
    close: () => transport.close(),
  }
}

async function fill(target: LoadTarget, plural: string, objects: number): Promise<void> {
  const load = createLoadClient(target, '1')
  const send = sendBy(load, 'fill')
  const path = `/apis/${group}/v1/namespaces/default/${plural}`
  try {
    await inParallel({ count: objects, atOnce: connections }, (index) =>
      send('POST', path, Buffer.from(JSON.stringify(instance(plural, index)))),
    )
  } finally {
    load.close()
  }
}

/** An object of about 1 KiB as it is stored, with its metadata. */
function instance(plural: string, index: number): object {
  return {
    apiVersion: `${group}/v1`,
    kind: `Kind${plural}`,
    metadata: {
      name: `object-${String(index).padStart(6, '0')}`,
      labels: { app: 'bench', tier: `t${index % 10}` },
    },
    spec: {
      replicas: index,
      paused: false,
      note: 'x'.repeat(200),
      ports: [1, 2, 3].map((each) => ({ name: `port-${each}`, port: 8000 + each })),
    },
  }
}
