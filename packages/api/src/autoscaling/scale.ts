import { ageColumn, nameColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { identityVersion, integer, objectSchema, text } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'

/** How many of something there should be and are, whatever it is: a part of kinds that can be scaled. */
export interface Scale extends ApiObject {
  spec?: { replicas?: number }
  status?: { replicas: number; selector?: string }
}

const count = { ...integer, format: 'int32' } as const

/** Never stored: it is computed from its object. */
export const scales = defineResource<Scale>({
  group: 'autoscaling',
  kind: 'Scale',
  plural: 'scales',
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<Scale>(
      objectSchema({
        spec: { type: 'object', default: {}, properties: { replicas: count } },
        status: { type: 'object', default: {}, properties: { replicas: count, selector: text } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'autoscaling/scales',
  columns: [
    nameColumn,
    {
      name: 'Desired',
      type: 'integer',
      description: 'Number of desired replicas',
      // Absent fields are left out, as for a custom resource.
      cell: ({ spec }) => spec?.replicas ?? null,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'Number of actual replicas',
      cell: ({ status }) => status?.replicas ?? null,
    },
    { ...ageColumn, type: 'date' },
  ],
})
