import { defineResource } from '@strata/api'
import { backendGroup } from './backend-server.ts'
import { startServer } from './one-server.ts'

const identity = <T>(object: T): T => object

/** The kind of the backend, as a server of its own would define it. */
const things = defineResource({
  ...{ group: backendGroup, kind: 'Thing', plural: 'things', scope: 'Namespaced' },
  versions: {
    v1: {
      schema: {
        type: 'object',
        description: 'A thing of the shop.',
        properties: {
          spec: {
            type: 'object',
            description: 'What the thing is like.',
            properties: { colour: { type: 'string', description: 'The colour of the thing.' } },
          },
        },
      },
      ...{ toHub: identity, fromHub: identity },
    },
  },
  ...{ preferredStorageVersion: 'v1', storagePrefix: `${backendGroup}/things`, isCustom: true },
})

/** The OpenAPI documents of a server that serves things, besides kinds that the aggregator has, too. */
export async function thingDocuments(): Promise<{ readonly v2: string; readonly v3: string }> {
  const { send } = await startServer('things', { resources: [things] })
  const read = async (path: string): Promise<string> => {
    const { body } = await send('GET', path)
    return typeof body === 'string' ? body : JSON.stringify(body)
  }
  return { v2: await read('/openapi/v2'), v3: await read(`/openapi/v3/apis/${backendGroup}/v1`) }
}
