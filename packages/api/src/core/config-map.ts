import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, fieldForbidden, invalid, tooLong } from '../machinery/field-error.ts'
import { boolean, identityVersion, objectSchema, text, textMap } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { configKeyProblems } from './config-key.ts'

export interface ConfigMap extends ApiObject {
  immutable?: boolean
  data?: Record<string, string>
  /** Base64. */
  binaryData?: Record<string, string>
}

/** As upstream, of all values together. */
const maxBytes = 1024 * 1024

function sizeOf(values: Readonly<Record<string, string>>, bytes: (value: string) => number): number {
  return Object.values(values).reduce((sum, value) => sum + bytes(value), 0)
}

const utf8 = new TextEncoder()

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = []
  const size =
    sizeOf(data, (value) => (value.length > maxBytes / 3 ? utf8.encode(value).length : value.length)) +
    sizeOf(binaryData, (value) => Math.floor((value.length * 3) / 4))
  if (size > maxBytes) errors.push(tooLong('[]', maxBytes))
  for (const name of Object.keys(data)) {
    errors.push(...configKeyProblems(name).map((problem) => invalid(`data[${name}]`, name, problem)))
    if (Object.hasOwn(binaryData, name)) {
      errors.push(invalid(`data[${name}]`, name, 'duplicate of key present in binaryData'))
    }
  }
  for (const name of Object.keys(binaryData)) {
    errors.push(...configKeyProblems(name).map((problem) => invalid(`binaryData[${name}]`, name, problem)))
  }
  return errors
}

function validateUpdate(object: ConfigMap, stored: ConfigMap): FieldError[] {
  if (!stored.immutable) return []
  const errors: FieldError[] = []
  if (!object.immutable)
    errors.push(fieldForbidden('immutable', 'field is immutable when `immutable` is set'))
  for (const field of ['data', 'binaryData'] as const) {
    if (JSON.stringify(object[field] ?? {}) !== JSON.stringify(stored[field] ?? {})) {
      errors.push(fieldForbidden(field, 'field is immutable when `immutable` is set'))
    }
  }
  return errors
}

const schema: Schema = {
  ...objectSchema({
    immutable: {
      ...boolean,
      nullable: true,
      description:
        'Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated (only object metadata can be modified). If not set to true, the field can be modified at any time. Defaulted to nil.',
    },
    data: {
      ...textMap,
      nullable: true,
      description:
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
    },
    binaryData: {
      type: 'object',
      nullable: true,
      additionalProperties: { ...text, format: 'byte' },
      description:
        "BinaryData contains the binary data. Each key must consist of alphanumeric characters, '-', '_' or '.'. BinaryData can contain byte sequences that are not in the UTF-8 range. The keys stored in BinaryData must not overlap with the ones in the Data field, this is enforced during validation process. Using this field will require 1.10+ apiserver and kubelet.",
    },
  }),
  description: 'ConfigMap holds configuration data for pods to consume.',
}

export const configMaps = defineResource<ConfigMap>({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<ConfigMap>(schema),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'configmaps',
  columns: [
    nameColumn,
    textColumn(
      'Data',
      "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
      ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    ),
    ageColumn,
  ],
  strategy: { allowUnconditionalUpdate: true, validate, validateUpdate },
})
