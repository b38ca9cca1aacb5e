import { type FieldError, invalid, notSupported, required, wrongType } from './field-error.ts'
import { holdsDefaults } from './holds-defaults.ts'
import { isRawNumber } from './patch/raw-number.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/**
 * A structural schema: the part of OpenAPI v3 that Kubernetes validates, prunes and defaults by. Built-in kinds use
 * little of it; custom resources bring all of it, as `JSONSchemaProps` of apiextensions.k8s.io/v1 has it.
 */
export interface Schema {
  readonly type?: SchemaType
  readonly title?: string
  readonly description?: string
  readonly externalDocs?: { readonly description?: string; readonly url?: string }
  readonly example?: unknown
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression as RE2 understands it, which is not quite as JavaScript does. */
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly properties?: Readonly<Record<string, Schema>>
  /** For fields that `properties` does not name. `true` takes any value, of which nothing is known. */
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-int-or-string'?: boolean
  /** The value is an object of the API itself: it has apiVersion, kind and metadata, whatever else the schema says. */
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  /** Whether managers own the fields of an object one by one, which is the default, or all of it at once. */
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic'
  /** How strategic merge patches treat the field: `merge` or `replace`, and `retainKeys` besides. */
  readonly 'x-kubernetes-patch-strategy'?: string
  /** Which field tells the elements of a list apart in strategic merge patches. */
  readonly 'x-kubernetes-patch-merge-key'?: string
  /** A time in microseconds; OpenAPI has only one word for times. */
  readonly 'x-strata-micro-time'?: boolean
  /** Any JSON at all, of which nothing is left out. Nothing in it is unknown, which its schema says besides. */
  readonly 'x-strata-raw-json'?: boolean
  /** Go leaves out the number 0 and the boolean false too: there is no pointer to tell them from nothing. */
  readonly 'x-strata-omits-zero'?: boolean
  /**
   * Go has a type of its own for it, which reads the value either as the struct of `properties` or as this (a list, of
   * `items`). It is not strict about unknown fields, and documents say nothing of its shape.
   */
  readonly 'x-strata-or'?: 'list' | 'boolean'
  /** What the API's documents call values of this schema. Without it, they have the schema itself wherever it is used. */
  readonly 'x-strata-type'?: NamedType
}

/** Its `description` is about all values of the type; the one of a schema is about one field. */
export interface NamedType {
  /** As upstream names it: with its package, or, without a dot, in the package of what it is used by. */
  readonly name: string
  readonly description?: string
}

/** A rule in CEL. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** The schema of fields that are not in `properties`; undefined if there must be none. */
export function additionalSchema(schema: Schema | undefined): Schema | undefined {
  const additional = schema?.additionalProperties
  if (additional === true) return anything
  return additional === false ? undefined : additional
}

type Fields = Record<string, unknown>

function typeOf(value: unknown): SchemaType | 'null' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (isRawNumber(value)) return /^-?\d+$/.test(value.rawJSON) ? 'integer' : 'number'
  return typeof value as SchemaType
}

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}

/** Validates a value. Unknown fields are reported by pruning, not here. */
export function validateSchema(value: unknown, schema: Schema, path = ''): FieldError[] {
  const found = typeOf(value)
  if (found === 'null') {
    return schema.nullable || schema.type === undefined
      ? []
      : [wrongType(path, 'null', mustBe(path, schema, found))]
  }
  if (
    schema.type !== undefined &&
    found !== schema.type &&
    !(schema.type === 'number' && found === 'integer')
  ) {
    return [wrongType(path, found, mustBe(path, schema, found))]
  }
  const errors: FieldError[] = []
  if (schema.enum && !schema.enum.includes(value)) {
    errors.push(notSupported(path, value, schema.enum.map(String)))
  }
  if (typeof value === 'number' || isRawNumber(value)) {
    const number = typeof value === 'number' ? value : Number(value.rawJSON)
    errors.push(...rangeProblems(number, value, schema, path))
    if (schema.minimum !== undefined && number < schema.minimum) {
      errors.push(
        invalid(path, value, `${path} in body should be greater than or equal to ${schema.minimum}`),
      )
    }
    if (schema.maximum !== undefined && number > schema.maximum) {
      errors.push(invalid(path, value, `${path} in body should be less than or equal to ${schema.maximum}`))
    }
  } else if (typeof value === 'string') {
    const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length
    if (schema.minLength !== undefined && length < schema.minLength) {
      errors.push(invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`))
    }
    if (schema.maxLength !== undefined && length > schema.maxLength) {
      errors.push(invalid(path, value, `${path} in body should be at most ${schema.maxLength} chars long`))
    }
  } else if (Array.isArray(value)) {
    const { items } = schema
    if (items) {
      for (const [index, each] of value.entries()) {
        errors.push(...validateSchema(each, items, `${path}[${index}]`))
      }
    }
  } else if (typeof value === 'object' && !isRawNumber(value)) {
    errors.push(...validateFields(value as Fields, schema, path))
  }
  return errors
}

/** The code of a kind has JavaScript's numbers, which tell integers apart up to 2^53 and end where a float64 does. */
function rangeProblems(number: number, value: unknown, schema: Schema, path: string): FieldError[] {
  const { type, format, 'x-kubernetes-int-or-string': either } = schema
  if (type !== 'integer' && !either) {
    return Number.isFinite(number) ? [] : [invalid(path, value, `${path} in body must fit a float64`)]
  }
  const [least, most] =
    format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  if (number >= least && number <= most) return []
  return [invalid(path, value, `${path} in body must be an integer between ${least} and ${most}`)]
}

function validateFields(value: Fields, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const field of schema.required ?? []) {
    if (value[field] === undefined) errors.push(required(join(path, field)))
  }
  for (const [field, each] of Object.entries(value)) {
    const fieldSchema = own(schema.properties, field) ?? additionalSchema(schema)
    if (fieldSchema && each !== undefined)
      errors.push(...validateSchema(each, fieldSchema, join(path, field)))
  }
  return errors
}

function mustBe(path: string, schema: Schema, found: string): string {
  return `${path} in body must be of type ${schema.type}: ${JSON.stringify(found)}`
}

/** A schema has no field `__proto__` or `constructor` unless it says so itself. */
function own(properties: Schema['properties'], field: string): Schema | undefined {
  return properties && Object.hasOwn(properties, field) ? properties[field] : undefined
}

/** Plain assignment to `__proto__` would change the object's prototype instead of setting a field. */
function setField(fields: Fields, field: string, value: unknown): void {
  if (field === '__proto__') {
    Object.defineProperty(fields, field, { value, enumerable: true, configurable: true, writable: true })
  } else fields[field] = value
}

const ignore = (): void => {}

/** A copy without the fields that the schema does not know; `onUnknown` gets the path of each. */
export function prune(value: unknown, schema: Schema, onUnknown: (path: string) => void, path = ''): unknown {
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return value
  if (schema['x-strata-or'] && onUnknown !== ignore) return prune(value, schema, ignore, path)
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.map((each, index) => prune(each, items, onUnknown, `${path}[${index}]`)) : value
  }
  const kept: Fields = {}
  for (const [field, each] of Object.entries(value as Fields)) {
    const fieldSchema = own(schema.properties, field) ?? additionalSchema(schema)
    if (fieldSchema) setField(kept, field, prune(each, fieldSchema, onUnknown, join(path, field)))
    else if (schema['x-kubernetes-preserve-unknown-fields']) setField(kept, field, each)
    else onUnknown(join(path, field))
  }
  return kept
}

const defaultsBySchema = new WeakMap<Schema, readonly (readonly [field: string, fieldDefault: unknown])[]>()

function defaultsOf(schema: Schema): readonly (readonly [field: string, fieldDefault: unknown])[] {
  const kept = defaultsBySchema.get(schema)
  if (kept) return kept
  const found = Object.entries(schema.properties ?? {}).flatMap(([field, { default: fieldDefault }]) =>
    fieldDefault === undefined ? [] : [[field, fieldDefault] as const],
  )
  defaultsBySchema.set(schema, found)
  return found
}

/** Fills in what is absent and has a default, in place. */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (value === null || typeof value !== 'object' || !holdsDefaults(schema) || isRawNumber(value)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items) for (const each of value) applyDefaults(each, items)
    return
  }
  const fields = value as Fields
  for (const [field, fieldDefault] of defaultsOf(schema)) {
    if (fields[field] === undefined) fields[field] = structuredClone(fieldDefault)
  }
  // Walks the fields of the object, not those of the schema: a schema may have fifty fields and the object two.
  const additional = additionalSchema(schema)
  for (const field of Object.keys(fields)) {
    const fieldSchema = own(schema.properties, field) ?? additional
    if (fieldSchema) applyDefaults(fields[field], fieldSchema)
  }
}
