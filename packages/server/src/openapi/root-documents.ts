import type { Schema } from '@strata/api'
import { Components, type Json } from './components.ts'
import { apiGroup, apiGroupList, apiVersions, versionInfoType } from './discovery-types.ts'
import { operationScope, tagOf } from './type-names.ts'

interface Reading {
  readonly tag: string
  readonly description: string
  readonly operationId: string
  readonly schema: Schema
}

/** A read-only path. */
export function readOperation(
  components: Components,
  { tag, description, operationId, schema }: Reading,
  types: readonly string[] = ['application/json', 'application/yaml'],
): Json {
  const use = components.publish(schema, { typePackage: '', typed: false, isAlwaysThere: false })
  const content = Object.fromEntries(types.map((type) => [type, { schema: use }]))
  const responses = { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } }
  return { get: { tags: [tag], description, operationId, responses } }
}

/** The documents above the group versions: `/version`, `/api`, `/apis` and each group. */
export function rootDocuments(
  groups: readonly string[],
  isCompared: boolean | undefined,
): ReadonlyMap<string, () => Json> {
  const documents = new Map<string, () => Json>([
    [
      'version',
      () =>
        readingDocument('/version/', {
          tag: 'version',
          description: 'get the version information for this server',
          operationId: 'getCodeVersion',
          schema: versionInfoType,
        }),
    ],
    [
      'api',
      () =>
        readingDocument('/api/', {
          tag: 'core',
          description: 'get available API versions',
          operationId: 'getCoreAPIVersions',
          schema: apiVersions(isCompared),
        }),
    ],
    [
      'apis',
      () =>
        readingDocument('/apis/', {
          tag: 'apis',
          description: 'get available API versions',
          operationId: 'getAPIVersions',
          schema: apiGroupList(isCompared),
        }),
    ],
  ])
  for (const group of groups) {
    const named = { group, versionName: '' }
    documents.set(`apis/${group}`, () =>
      readingDocument(`/apis/${group}/`, {
        tag: tagOf(named).slice(0, -1),
        description: 'get information of a group',
        operationId: `get${operationScope(named)}APIGroup`,
        schema: apiGroup(isCompared),
      }),
    )
  }
  return documents
}

function readingDocument(path: string, reading: Reading): Json {
  const components = new Components()
  const types = path === '/version/' ? ['application/json'] : undefined
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: { [path]: readOperation(components, reading, types) },
    components: { schemas: components.toJson() },
  }
}
