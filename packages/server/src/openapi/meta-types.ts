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

/** The types that requests and answers have besides the objects themselves. */
export const metaType = (name: string): string => `${metaPackage}.${name}`

const seconds: Schema = { ...integer, format: 'int64', nullable: true }

export const listMeta = structSchema(metaType('ListMeta'), 'What every list says of itself.', {
  resourceVersion: { ...text, description: 'The state of the store that the list shows; watch from here.' },
  continue: { ...text, description: 'Ask with it for the rest of the list; empty at the end.' },
  remainingItemCount: { ...seconds, description: 'How many objects there are behind this part, if known.' },
  selfLink: { ...text, description: 'No longer set by any server.' },
})

export const patchType: Schema = {
  type: 'object',
  'x-strata-type': {
    name: metaType('Patch'),
    description: 'A change of an object, in the form that the content type names.',
  },
}

const preconditions = structSchema(metaType('Preconditions'), 'What must be so, or nothing is deleted.', {
  uid: { ...text, nullable: true, description: 'The uid that the object must have.' },
  resourceVersion: { ...text, nullable: true, description: 'The resourceVersion that it must have.' },
})

export const deleteOptions = structSchema(metaType('DeleteOptions'), 'How an object is to be deleted.', {
  ...typeMetaProperties,
  dryRun: {
    ...textList,
    'x-kubernetes-list-type': 'atomic',
    description: 'All: check everything and delete nothing.',
  },
  gracePeriodSeconds: { ...seconds, description: 'How long the object may take to end; 0 for at once.' },
  orphanDependents: {
    ...boolean,
    nullable: true,
    description: 'Outdated: true for a propagationPolicy of Orphan.',
  },
  preconditions: { ...preconditions, nullable: true, description: 'What must be so, or nothing is deleted.' },
  propagationPolicy: {
    ...text,
    nullable: true,
    description: 'What becomes of dependents: Orphan, Background or Foreground.',
  },
})

const statusCause = structSchema(metaType('StatusCause'), 'One of the things that are wrong.', {
  reason: { ...text, description: 'What is wrong, in one word.' },
  message: { ...text, description: 'What is wrong, for people.' },
  field: { ...text, description: 'The field that it is about: spec.items[0].name.' },
})

const statusDetails = structSchema(metaType('StatusDetails'), 'What a status is about.', {
  name: { ...text, description: 'The name of the object.' },
  group: { ...text, description: 'The group of the object.' },
  kind: { ...text, description: 'The kind of the object, or the name of the resource.' },
  uid: { ...text, description: 'The uid of the object.' },
  causes: {
    type: 'array',
    'x-kubernetes-list-type': 'atomic',
    items: statusCause,
    description: 'Everything that is wrong, one by one.',
  },
  retryAfterSeconds: { ...integer, format: 'int32', description: 'When it is worth trying again.' },
})

export const statusType = structSchema(
  metaType('Status'),
  'How a request went, where the answer is no object.',
  {
    ...typeMetaProperties,
    metadata: { ...listMeta, description: 'Of a list that could not be continued, where to go on.' },
    status: { ...text, description: 'Success or Failure.' },
    message: { ...text, description: 'What happened, for people.' },
    reason: { ...text, description: 'What happened, in one word for programs.' },
    details: {
      ...statusDetails,
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      description: 'What it is about.',
    },
    code: { ...integer, format: 'int32', description: 'The status code of HTTP.' },
  },
)
