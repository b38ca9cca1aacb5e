import {
  type ApiObject,
  ageColumn,
  defineResource,
  identityVersion,
  nameColumn,
  objectSchema,
  textMap,
} from '@strata/api'

interface Note extends ApiObject {
  data?: Record<string, string>
}

/** A kind that looks like a ConfigMap to kubectl: what was recorded about those is played to it. */
export const notes = defineResource<Note>({
  ...{ group: 'notes.transcripts.dev', kind: 'Note', plural: 'notes', scope: 'Namespaced' },
  versions: { v1: identityVersion<Note>(objectSchema({ data: textMap })) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'notes.transcripts.dev/notes',
  strategy: { allowUnconditionalUpdate: true },
  columns: [
    nameColumn,
    {
      ...{ name: 'Data', type: 'string', description: 'How many keys there are.' },
      cell: ({ data = {} }) => Object.keys(data).length,
    },
    ageColumn,
  ],
})
