import type { RawNumber } from '../machinery/patch/raw-number.ts'
import type { ValidationRule } from '../machinery/schema.ts'

/** A number of a schema or a default, exactly as it was sent. */
export type JsonNumber = number | RawNumber

/** The schema of one value of a custom resource, as its definition has it: OpenAPI v3, less or more. */
export interface JsonSchemaProps {
  readonly id?: string
  readonly $schema?: string
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: JsonNumber
  readonly minLength?: JsonNumber
  readonly pattern?: string
  readonly maxItems?: JsonNumber
  readonly minItems?: JsonNumber
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly unknown[]
  readonly maxProperties?: JsonNumber
  readonly minProperties?: JsonNumber
  readonly required?: readonly string[]
  readonly items?: JsonSchemaProps | readonly JsonSchemaProps[]
  readonly allOf?: readonly JsonSchemaProps[]
  readonly oneOf?: readonly JsonSchemaProps[]
  readonly anyOf?: readonly JsonSchemaProps[]
  readonly not?: JsonSchemaProps
  readonly properties?: Readonly<Record<string, JsonSchemaProps>>
  readonly additionalProperties?: JsonSchemaProps | boolean
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>>
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | readonly string[]>>
  readonly additionalItems?: JsonSchemaProps | boolean
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>>
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly example?: unknown
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}
