import { text } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'

export interface ObjectReference {
  kind?: string
  namespace?: string
  name?: string
  uid?: string
  apiVersion?: string
  resourceVersion?: string
  fieldPath?: string
}

/** Owned as a whole: half of a reference would refer to nothing. */
export const objectReferenceSchema: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    apiVersion: text,
    resourceVersion: text,
    fieldPath: text,
  },
}

/** The fields of a reference at `path`, as selectors name them. */
export function referencePaths(path: string): string[] {
  return Object.keys(objectReferenceSchema.properties ?? {}).map((field) => `${path}.${field}`)
}
