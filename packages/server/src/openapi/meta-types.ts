import {
  boolean,
  integer,
  metaPackage,
  type Schema,
  structSchema,
  text,
  textList,
  typeMetaProperties,
} from '@strata/api'

/** The types of requests and answers besides the objects themselves. */
export const metaType = (name: string): string => `${metaPackage}.${name}`

const seconds: Schema = { ...integer, format: 'int64', nullable: true }

export const listMeta = structSchema(metaType('ListMeta'), 'Metadata of every list.', {
  resourceVersion: { ...text, description: 'The revision that the list shows; start a watch from it.' },
  continue: { ...text, description: 'Token for the next page of the list; empty on the last page.' },
  remainingItemCount: { ...seconds, description: 'How many objects follow this page, if known.' },
  selfLink: { ...text, description: 'No longer set by any server.' },
})

export const patchType: Schema = {
  type: 'object',
  'x-strata-type': {
    name: metaType('Patch'),
    description: 'A patch of an object, in the format of the content type.',
  },
}

const preconditions = structSchema(metaType('Preconditions'), 'Required state of the object to delete.', {
  uid: { ...text, nullable: true, description: 'The object must have this uid.' },
  resourceVersion: { ...text, nullable: true, description: 'The object must have this resourceVersion.' },
})

export const deleteOptions = structSchema(metaType('DeleteOptions'), 'Options of a deletion.', {
  ...typeMetaProperties,
  dryRun: {
    ...textList,
    'x-kubernetes-list-type': 'atomic',
    description: 'All: validate the request and delete nothing.',
  },
  gracePeriodSeconds: { ...seconds, description: 'Time for a graceful end; 0 deletes at once.' },
  orphanDependents: {
    ...boolean,
    nullable: true,
    description: 'Deprecated: true means a propagationPolicy of Orphan.',
  },
  preconditions: { ...preconditions, nullable: true, description: 'Required state of the object to delete.' },
  propagationPolicy: {
    ...text,
    nullable: true,
    description: 'How dependents are deleted: Orphan, Background or Foreground.',
  },
})

const statusCause = structSchema(metaType('StatusCause'), 'One cause of a failure.', {
  reason: { ...text, description: 'The cause, as one word for programs.' },
  message: { ...text, description: 'What is wrong, for people.' },
  field: { ...text, description: 'The field at fault, such as spec.items[0].name.' },
})

const statusDetails = structSchema(metaType('StatusDetails'), 'Details of a Status.', {
  name: { ...text, description: 'The name of the object.' },
  group: { ...text, description: 'The group of the object.' },
  kind: { ...text, description: 'The kind of the object, or the name of the resource.' },
  uid: { ...text, description: 'The uid of the object.' },
  causes: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: statusCause,
    description: 'All causes of the failure.',
  },
  retryAfterSeconds: { ...integer, format: 'int32', description: 'Seconds to wait before a retry.' },
})

export const statusType = structSchema(
  metaType('Status'),
  'The result of a request that returns no object.',
  {
    ...typeMetaProperties,
    metadata: { ...listMeta, description: 'For an expired list: the token to continue with.' },
    status: { ...text, description: 'Success or Failure.' },
    message: { ...text, description: 'What happened, for people.' },
    reason: { ...text, description: 'The reason, as one word for programs.' },
    details: {
      ...statusDetails,
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      description: 'More about the reason.',
    },
    code: { ...integer, format: 'int32', description: 'The HTTP status code.' },
  },
)
