import type { ApiObject } from '../meta/object.ts'
import type { VersionDefinition } from './define-resource.ts'
import type { Schema } from './schema.ts'

/** A version that has the shape of the hub. */
export function identityVersion<Hub extends ApiObject>(
  schema: Schema,
  applyDefaults?: (object: Hub) => void,
): VersionDefinition<Hub, Hub> {
  const same = (object: Hub): Hub => object
  return { schema, toHub: same, fromHub: same, ...(applyDefaults ? { applyDefaults } : {}) }
}

export const text: Schema = { type: 'string' }
export const integer: Schema = { type: 'integer' }
export const boolean: Schema = { type: 'boolean' }
export const textMap: Schema = { type: 'object', additionalProperties: text }
export const textList: Schema = { type: 'array', items: text }
/** Go's metav1.Time: whole seconds, and null where it was never set. */
export const time: Schema = { type: 'string', format: 'date-time', nullable: true }
/** Go's metav1.MicroTime: exactly six digits behind the point. */
export const microTime: Schema = { ...time, 'x-strata-micro-time': true }

export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64', nullable: true },
    labels: { ...textMap, nullable: true },
    annotations: { ...textMap, nullable: true },
    finalizers: {
      ...textList,
      nullable: true,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    ownerReferences: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: boolean,
          blockOwnerDeletion: boolean,
        },
      },
    },
    managedFields: {
      type: 'array',
      nullable: true,
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
}

/** The schema of a whole object, from the schemas of what is special about it. */
export function objectSchema(
  properties: Readonly<Record<string, Schema>>,
  required?: readonly string[],
): Schema {
  return {
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: objectMetaSchema, ...properties },
    ...(required ? { required } : {}),
  }
}
