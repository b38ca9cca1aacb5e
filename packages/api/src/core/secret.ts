import { ageColumn, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, fieldForbidden, invalid, tooLong } from '../machinery/field-error.ts'
import { boolean, identityVersion, objectSchema, text, textMap } from '../machinery/identity-version.ts'
import { jsonEqual } from '../machinery/patch/json-value.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { configKeyProblems } from './config-key.ts'
import { validateSecretType } from './secret-type.ts'

export interface Secret extends ApiObject {
  immutable?: boolean
  /** Base64. */
  data?: Record<string, string>
  /** Write-only plain text instead of base64; never stored, never shown. */
  stringData?: Record<string, string>
  type?: string
}

/** As upstream, of all values together, decoded. */
const maxBytes = 1024 * 1024

/** Merges stringData into data first: managed fields, validation and store see data only. */
function foldStringData(secret: Secret): void {
  const { stringData } = secret
  delete secret.stringData
  secret.type ||= 'Opaque'
  if (stringData === undefined || Object.keys(stringData).length === 0) return
  const encoded = Object.entries(stringData).map(([key, value]) => [key, base64Of(value)])
  secret.data = { ...secret.data, ...Object.fromEntries(encoded) }
}

const utf8 = new TextEncoder()

function base64Of(value: string): string {
  return utf8.encode(value).toBase64()
}

function validate(secret: Secret): FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    errors.push(...configKeyProblems(key).map((problem) => invalid(`data[${key}]`, key, problem)))
    bytes += Math.floor((value.length * 3) / 4) - (value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0)
  }
  if (bytes > maxBytes) errors.push(tooLong('data', maxBytes))
  return [...errors, ...validateSecretType(secret)]
}

function validateUpdate(secret: Secret, stored: Secret): FieldError[] {
  const errors: FieldError[] = []
  if (secret.type !== stored.type) errors.push(invalid('type', secret.type, 'field is immutable'))
  if (!stored.immutable) return errors
  const frozen = 'field is immutable when `immutable` is set'
  if (!secret.immutable) errors.push(fieldForbidden('immutable', frozen))
  if (!jsonEqual(secret.data ?? {}, stored.data ?? {})) errors.push(fieldForbidden('data', frozen))
  return errors
}

const schema: Schema = {
  ...objectSchema({
    immutable: {
      ...boolean,
      nullable: true,
      description:
        'If true, the data cannot be changed. To change it, delete the secret and create it again.',
    },
    data: {
      type: 'object',
      nullable: true,
      additionalProperties: { ...text, format: 'byte' },
      description: 'The data, in base64. Keys consist of letters, digits, "-", "_" and ".".',
    },
    stringData: {
      ...textMap,
      nullable: true,
      description: 'Write-only data as plain text. It is merged into data and overrides it.',
    },
    type: {
      ...text,
      description:
        'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
    },
  }),
  description: 'Like a ConfigMap, for confidential data.',
}

export const secrets = defineResource<Secret>({
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<Secret>(schema, foldStringData),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'secrets',
  selectableFields: ['type'],
  columns: [
    nameColumn,
    textColumn(
      'Type',
      'Used to facilitate programmatic handling of secret data. More info: https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
      ({ type }) => type ?? '',
    ),
    textColumn(
      'Data',
      "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
      ({ data = {} }) => Object.keys(data).length,
    ),
    ageColumn,
  ],
  strategy: { allowUnconditionalUpdate: true, validate, validateUpdate },
})
