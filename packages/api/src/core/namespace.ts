import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, invalid } from '../machinery/field-error.ts'
import {
  identityVersion,
  objectSchema,
  structSchema,
  text,
  textList,
  time,
} from '../machinery/identity-version.ts'
import { dns1123Label } from '../machinery/name-rules.ts'
import { cloneJson } from '../machinery/patch/json-value.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'

export interface NamespaceCondition {
  type: string
  status: string
  lastTransitionTime?: string | null
  reason?: string
  message?: string
}

export interface Namespace extends ApiObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: 'Active' | 'Terminating'; conditions?: NamespaceCondition[] }
}

const condition = structSchema(
  'NamespaceCondition',
  'One aspect of the state of a namespace.',
  {
    type: { ...text, description: 'The type of the condition.' },
    status: { ...text, description: 'True, False or Unknown.' },
    lastTransitionTime: { ...time, default: null, description: 'When the status last changed.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
  },
  ['type', 'status'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...structSchema('NamespaceSpec', 'The desired state of a namespace.', {
        finalizers: {
          ...textList,
          'x-kubernetes-list-type': 'atomic',
          description: 'The finalizers. The namespace is removed when the list is empty.',
        },
      }),
      default: {},
      description: 'The desired state.',
    },
    status: {
      ...structSchema('NamespaceStatus', 'The observed state of a namespace.', {
        phase: {
          ...text,
          enum: ['Active', 'Terminating'],
          description: 'Active, or Terminating after a deletion request.',
        },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'type',
          items: condition,
          description: 'The current conditions, for example what blocks the deletion.',
        },
      }),
      default: {},
      description: 'The observed state.',
    },
  }),
  description: 'Namespace provides a scope for Names. Use of multiple namespaces is optional.',
}

const nameLabel = 'kubernetes.io/metadata.name'
const finalizer = 'kubernetes'

/** Selectors over namespaces need a label to select by name; clients cannot remove it. */
function labelWithName({ metadata }: Namespace): void {
  const { name } = metadata
  if (name) metadata.labels = { ...metadata.labels, [nameLabel]: name }
}

function validateUpdate({ metadata, status }: Namespace): FieldError[] {
  const [phase, when] =
    metadata.deletionTimestamp === undefined
      ? (['Active', 'is empty'] as const)
      : (['Terminating', 'is not empty'] as const)
  if (status?.phase === phase) return []
  return [
    invalid('status.Phase', status?.phase ?? '', `may only be '${phase}' if \`deletionTimestamp\` ${when}`),
  ]
}

export const namespaces = defineResource<Namespace>({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  typed: true,
  versions: { v1: identityVersion<Namespace>(schema, labelWithName) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'namespaces',
  bootstrap: true,
  subresources: { status: true },
  selectableFields: ['status.phase'],
  columns: [
    nameColumn,
    textColumn('Status', 'The status of the namespace', ({ status }) => status?.phase ?? ''),
    ageColumn,
  ],
  strategy: {
    nameRule: dns1123Label,
    allowUnconditionalUpdate: true,
    returnsDeletedObject: true,
    // No deletecollection: one request would delete too much.
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    prepareForCreate: (namespace) => {
      const { finalizers = [] } = namespace.spec ?? {}
      const complete = finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer]
      namespace.spec = { ...namespace.spec, finalizers: complete }
      namespace.status = { phase: 'Active' }
      // A generated name was not known when the defaults were set.
      labelWithName(namespace)
    },
    // Finalizers change through /finalize, the phase through /status.
    prepareForUpdate: (namespace, stored) => {
      namespace.spec = cloneJson(stored.spec ?? {})
      namespace.status = cloneJson(stored.status ?? {})
      labelWithName(namespace)
    },
    validateUpdate,
  },
})
