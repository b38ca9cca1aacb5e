import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, objectSchema, text, textList } from '../machinery/identity-version.ts'
import { dns1123Label } from '../machinery/name-rules.ts'
import type { ApiObject } from '../meta/object.ts'

export interface Namespace extends ApiObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: 'Active' | 'Terminating' }
}

const schema = objectSchema({
  spec: { type: 'object', properties: { finalizers: textList } },
  status: {
    type: 'object',
    properties: {
      phase: text,
      conditions: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  },
})

export const namespaces = defineResource<Namespace>({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  typed: true,
  versions: { v1: identityVersion<Namespace>(schema) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'namespaces',
  bootstrap: true,
  subresources: { status: true },
  selectableFields: ['status.phase'],
  columns: [{ name: 'Status', type: 'string', description: 'The status of the namespace' }],
  strategy: {
    nameRule: dns1123Label,
    allowUnconditionalUpdate: true,
    returnsDeletedObject: true,
    prepareForCreate: (namespace) => {
      namespace.spec = { ...namespace.spec, finalizers: ['kubernetes'] }
      namespace.status = { phase: 'Active' }
      namespace.metadata.labels = {
        ...namespace.metadata.labels,
        'kubernetes.io/metadata.name': namespace.metadata.name ?? '',
      }
    },
    prepareForUpdate: (namespace, stored) => {
      if (stored.spec) namespace.spec = stored.spec
      else delete namespace.spec
      if (stored.status) namespace.status = stored.status
      else delete namespace.status
      namespace.metadata.labels = {
        ...namespace.metadata.labels,
        'kubernetes.io/metadata.name': namespace.metadata.name ?? '',
      }
    },
  },
})
