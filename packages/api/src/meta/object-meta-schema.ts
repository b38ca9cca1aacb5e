import {
  boolean,
  metaPackage,
  structSchema,
  text,
  textList,
  textMap,
  time,
} from '../machinery/field-schemas.ts'
import type { Schema } from '../machinery/schema.ts'

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'
const names = 'https://kubernetes.io/docs/concepts/overview/working-with-objects/names'
const collection = 'https://kubernetes.io/docs/concepts/architecture/garbage-collection/'

const ownerReference: Schema = {
  ...structSchema(
    'OwnerReference',
    'OwnerReference contains enough information to let you identify an owning object. An owning object must be in the same namespace as the dependent, or be cluster-scoped, so there is no namespace field.',
    {
      apiVersion: { ...text, description: 'API version of the referent.' },
      kind: { ...text, description: `Kind of the referent. More info: ${conventions}#types-kinds` },
      name: { ...text, description: `Name of the referent. More info: ${names}#names` },
      uid: { ...text, description: `UID of the referent. More info: ${names}#uids` },
      controller: { ...boolean, description: 'If true, this reference points to the managing controller.' },
      blockOwnerDeletion: {
        ...boolean,
        description: `If true, AND if the owner has the "foregroundDeletion" finalizer, then the owner cannot be deleted from the key-value store until this reference is removed. See ${collection}#foreground-deletion for how the garbage collector interacts with this field and enforces the foreground deletion. Defaults to false. To set this field, a user needs "delete" permission of the owner, otherwise 422 (Unprocessable Entity) will be returned.`,
      },
    },
    ['apiVersion', 'kind', 'name', 'uid'],
  ),
  'x-kubernetes-map-type': 'atomic',
}

const managedFieldsEntry = structSchema(
  'ManagedFieldsEntry',
  'The fields that one manager owns, for one operation and one version.',
  {
    manager: { ...text, description: 'The name of the manager.' },
    operation: { ...text, description: 'The operation that set the fields: Apply or Update.' },
    apiVersion: { ...text, description: 'The API version that the fields are listed in.' },
    time: { ...time, description: 'When the entry was added or its fields last changed.' },
    fieldsType: { ...text, description: 'The format of the fields. Only FieldsV1 is supported.' },
    fieldsV1: {
      type: 'object',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-strata-type': {
        name: 'FieldsV1',
        description:
          'A set of fields as a tree: f:<name> is a field, k:<keys> and v:<value> are items of a list, i:<index> is a position in a list, and "." is the element itself.',
      },
      description: 'The fields, in the format of fieldsType.',
    },
    subresource: { ...text, description: 'The subresource that was written. Empty for the object itself.' },
  },
)

/** The metadata of every object. */
export const objectMetaSchema: Schema = {
  ...structSchema(`${metaPackage}.ObjectMeta`, 'The metadata that every stored object has.', {
    name: { ...text, description: 'The name. It is unique within the namespace and cannot be changed.' },
    generateName: { ...text, description: 'A prefix. The server generates the rest of the name.' },
    namespace: { ...text, description: 'The namespace of the object. Empty for cluster-scoped objects.' },
    selfLink: { ...text, description: 'Deprecated. Servers no longer set it.' },
    uid: { ...text, description: 'A unique ID. A new object of the same name has another.' },
    resourceVersion: {
      ...text,
      description:
        'An opaque version of the object. A write that includes it fails if the object has changed since.',
    },
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'Increases when the desired state changes.',
    },
    creationTimestamp: { ...time, description: 'When the object was created.' },
    deletionTimestamp: {
      ...time,
      description: 'When deletion was requested. The object is removed when it has no finalizers left.',
    },
    deletionGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      nullable: true,
      description: 'How many seconds the object may take to terminate after the deletion request.',
    },
    labels: { ...textMap, nullable: true, description: 'Key-value pairs that selectors can match.' },
    annotations: {
      ...textMap,
      nullable: true,
      description: 'Key-value pairs for tools and people. Selectors do not match them.',
    },
    finalizers: {
      ...textList,
      nullable: true,
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
      description:
        'Names of controllers that must clean up first. The object is removed when the list is empty.',
    },
    ownerReferences: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'uid',
      items: ownerReference,
      description:
        'List of objects depended by this object. If ALL objects in the list have been deleted, this object will be garbage collected. If this object is managed by a controller, then an entry in this list will point to this controller, with the controller field set to true. There cannot be more than one managing controller.',
    },
    managedFields: {
      type: 'array',
      nullable: true,
      items: managedFieldsEntry,
      description: 'Which manager owns which fields. Maintained by the server.',
    },
  }),
  description: `Standard object's metadata. More info: ${conventions}#metadata`,
}

/** The type fields of every object and list. */
export const typeMetaProperties: Readonly<Record<'apiVersion' | 'kind', Schema>> = {
  apiVersion: {
    ...text,
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  },
  kind: {
    ...text,
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
  },
}
