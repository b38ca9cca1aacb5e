import { structSchema, text } from '../machinery/identity-version.ts'
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
  ...structSchema('io.k8s.api.core.v1.ObjectReference', 'A reference to an object or a part of it.', {
    kind: { ...text, description: 'The kind of the object.' },
    namespace: { ...text, description: 'The namespace of the object, if it has one.' },
    name: { ...text, description: 'The name of the object.' },
    uid: { ...text, description: 'The uid of the object.' },
    apiVersion: { ...text, description: 'The API version of the object.' },
    resourceVersion: { ...text, description: 'The resourceVersion of the object, if one is meant.' },
    fieldPath: { ...text, description: 'The path of the part that is meant, such as spec.containers{name}.' },
  }),
  'x-kubernetes-map-type': 'atomic',
}

/** The fields of a reference at `path`, as selectors name them. */
export function referencePaths(path: string): string[] {
  return Object.keys(objectReferenceSchema.properties ?? {}).map((field) => `${path}.${field}`)
}
