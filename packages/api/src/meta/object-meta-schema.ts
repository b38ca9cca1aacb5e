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
      controller: {
        ...boolean,
        description: 'If true, this reference points to the managing controller.',
      },
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
  'Which fields one manager owns, by one way of writing, as seen in one version.',
  {
    manager: { ...text, description: 'Who owns the fields.' },
    operation: { ...text, description: 'How they came to be owned: by Apply or by Update.' },
    apiVersion: { ...text, description: 'The version in whose terms the fields are listed.' },
    time: { ...time, description: 'When the entry was added, or its fields last changed.' },
    fieldsType: { ...text, description: 'How the fields are listed; FieldsV1 is the only way so far.' },
    fieldsV1: {
      type: 'object',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-strata-type': {
        name: 'FieldsV1',
        description:
          'A set of fields as a tree: f:<name> is a field, k:<keys> and v:<value> are items of a list, i:<index> is a place in a list, and "." is the thing itself.',
      },
      description: 'The fields, in the form that fieldsType names.',
    },
    subresource: {
      ...text,
      description: 'The part of the object that was written to; empty for the object itself.',
    },
  },
)

/** What every object says of itself besides its kind. */
export const objectMetaSchema: Schema = {
  ...structSchema(
    `${metaPackage}.ObjectMeta`,
    'What every stored object has, whatever its kind: how it is called, who made it, and when.',
    {
      name: { ...text, description: 'Unique in its namespace, and never changed.' },
      generateName: {
        ...text,
        description: 'Where the server is to choose the name: what the name begins with.',
      },
      namespace: {
        ...text,
        description: 'The namespace that the name is unique in. Not all kinds of objects have one.',
      },
      selfLink: { ...text, description: 'No longer set by any server.' },
      uid: {
        ...text,
        description: 'Tells this object from every other that had, has or will have the same name.',
      },
      resourceVersion: {
        ...text,
        description:
          'Names the state of the object. Give back what was read, and a write fails if somebody else has written in between.',
      },
      generation: {
        type: 'integer',
        format: 'int64',
        description: 'Counts the changes of what is wanted of the object.',
      },
      creationTimestamp: { ...time, description: 'When the object was created.' },
      deletionTimestamp: {
        ...time,
        description: 'When deletion was asked for. The object goes once nothing holds it any more.',
      },
      deletionGracePeriodSeconds: {
        type: 'integer',
        format: 'int64',
        nullable: true,
        description: 'How long the object may take to end after its deletion was asked for.',
      },
      labels: {
        ...textMap,
        nullable: true,
        description: 'Words about the object that can be selected by.',
      },
      annotations: {
        ...textMap,
        nullable: true,
        description: 'Words about the object for tools and people; nothing selects by them.',
      },
      finalizers: {
        ...textList,
        nullable: true,
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-patch-strategy': 'merge',
        description: 'Who has something left to do before the object may go. It stays until all are gone.',
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
        description: 'Who owns which fields of the object. Kept by the server.',
      },
    },
  ),
  description: `Standard object's metadata. More info: ${conventions}#metadata`,
}

/** What every object and every list of objects begins with. */
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
