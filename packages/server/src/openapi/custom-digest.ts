import { defineResource } from '@strata/api'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { hashOf } from './openapi-document.ts'

/**
 * A digest of everything that goes into the documents of a custom kind, computed without making them. It derives from stored
 * data, so all servers of a fleet get the same.
 */
export function customDigest(resource: DescribableResource, routes: DescribableRoutes): string {
  const { group, versionName, definition } = resource
  const { kind, listKind, plural, scope, selectableFields = [], versions } = definition
  const names = [group, versionName, kind, listKind, plural, scope, selectableFields]
  const served = [routes.of(resource), routes.ofSubresources(resource), routes.patchTypesOf(resource)]
  return hashOf(JSON.stringify([names, served, versions[versionName]?.schema ?? null]))
}

const identity = <T>(object: T): T => object

const definition = defineResource({
  group: 'sample.strata.dev',
  kind: 'Sample',
  plural: 'samples',
  scope: 'Namespaced',
  versions: {
    v1: {
      schema: {
        type: 'object',
        description: 'It has a little of everything.',
        required: ['spec'],
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', minimum: 1, default: 1 },
              names: { type: 'array', nullable: true, items: { type: 'string', enum: ['a', 'b'] } },
              labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
              open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
      toHub: identity,
      fromHub: identity,
    },
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'sample.strata.dev/samples',
  selectableFields: ['spec.size'],
  subresources: {
    status: true,
    scale: { v1: { specReplicas: '.spec.size', statusReplicas: '.spec.size' } },
  },
  isCustom: true,
})

/**
 * A custom kind that is never served. Its document shows the format of documents: a release with another format must give them
 * other hashes, or clients would keep their cached ones. It also has the types that all custom kinds share.
 */
export const sampleKind: DescribableResource = {
  group: definition.group,
  versionName: 'v1',
  apiVersion: `${definition.group}/v1`,
  definition,
}
