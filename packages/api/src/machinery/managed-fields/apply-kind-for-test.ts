import { objectSchema } from '../identity-version.ts'
import type { JsonObject } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import type { TestKind, Write } from './apply-for-test.ts'

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const byName = (items: Schema): Schema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items,
})
const set: Schema = { type: 'array', 'x-kubernetes-list-type': 'set', items: text }
const schema = objectSchema({
  data: { type: 'object', additionalProperties: text },
  scalar: text,
  struct: { type: 'object', properties: { name: text, value: number } },
  atomic: { type: 'array', items: text },
  whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
  tags: set,
  ports: byName({ type: 'object', properties: { name: text, port: number, tags: set } }),
  keyed: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'protocol'],
    items: {
      type: 'object',
      properties: { name: text, protocol: { ...text, default: 'TCP' }, value: number },
    },
  },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
})
/** A kind with a field for every form of ownership, in two versions. */
export const kind: TestKind = { schema, versions: ['v1', 'v2'] }

export const apply = (by: string, object: JsonObject, more: Partial<Write> = {}): Write => ({
  by,
  apply: object,
  ...more,
})
export const update = (by: string, object: JsonObject, more: Partial<Write> = {}): Write => ({
  by,
  update: object,
  ...more,
})
export const force = { force: true }
export const v2 = { apiVersion: 'v2' }
export const port = (name: string, more: object = {}) => ({ name, ...more })
export const portKey = (name: string) => `k:{"name":"${name}"}`
export const portOwned = (name: string, more: object = {}) => ({
  [portKey(name)]: { '.': {}, 'f:name': {}, ...more },
})
