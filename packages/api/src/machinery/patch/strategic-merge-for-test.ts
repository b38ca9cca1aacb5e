import { objectMetaSchema } from '../../meta/object-meta-schema.ts'
import type { Schema } from '../schema.ts'

const text: Schema = { type: 'string' }
const item: Schema = {
  type: 'object',
  properties: { name: text, value: text, other: text, tags: { type: 'array', items: text } },
}
const mergedByName = {
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
} as const
/** A kind with a field for every strategy. */
export const schema: Schema = {
  type: 'object',
  properties: {
    metadata: objectMetaSchema,
    name: text,
    data: { type: 'object', additionalProperties: text },
    struct: item,
    whole: { ...item, 'x-kubernetes-patch-strategy': 'replace' },
    retained: { ...item, 'x-kubernetes-patch-strategy': 'retainKeys' },
    atomic: { type: 'array', items: item },
    texts: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
    list: { type: 'array', items: item, ...mergedByName },
    nested: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: text, list: { type: 'array', items: item, ...mergedByName } },
      },
      ...mergedByName,
    },
    keyless: { type: 'array', items: item, 'x-kubernetes-patch-strategy': 'merge' },
    union: {
      type: 'array',
      items: item,
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
}
