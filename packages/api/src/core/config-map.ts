import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, fieldForbidden, invalid, tooLong } from '../machinery/field-error.ts'
import { boolean, identityVersion, objectSchema, text, textMap } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'

export interface ConfigMap extends ApiObject {
  immutable?: boolean
  data?: Record<string, string>
  /** Base64. */
  binaryData?: Record<string, string>
}

const key = /^[-._a-zA-Z0-9]+$/

function keyProblems(name: string): string[] {
  if (name.length > 253) return ['must be no more than 253 characters']
  if (name === '.' || name === '..') return [`must not be '${name}'`]
  if (name.startsWith('..')) return ["must not start with '..'"]
  return key.test(name)
    ? []
    : [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ]
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
    errors.push(...keyProblems(name).map((problem) => invalid(`data[${name}]`, name, problem)))
    if (Object.hasOwn(binaryData, name)) {
      errors.push(invalid(`data[${name}]`, name, 'duplicate of key present in binaryData'))
    }
  }
  for (const name of Object.keys(binaryData)) {
    errors.push(...keyProblems(name).map((problem) => invalid(`binaryData[${name}]`, name, problem)))
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

export const configMaps = defineResource<ConfigMap>({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<ConfigMap>(
      objectSchema({
        immutable: { ...boolean, nullable: true },
        data: { ...textMap, nullable: true },
        binaryData: { type: 'object', nullable: true, additionalProperties: { ...text, format: 'byte' } },
      }),
    ),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'configmaps',
  columns: [{ name: 'Data', type: 'integer', description: 'How many entries the map has' }],
  strategy: { allowUnconditionalUpdate: true, validate, validateUpdate },
})
