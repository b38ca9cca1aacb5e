import type { Schema, ValidationRule } from '../../schema.ts'
import { type Reader, readerOf } from '../evaluation/schema-value.ts'
import { escapeFieldName } from '../syntax/field-name.ts'
import { type SchemaType, schemaType } from '../types/schema-type.ts'
import { type CompiledRule, compileRuleList } from './compile-rule.ts'
import { isEmbedded, rulesOf, valuesSchema } from './rule-schema.ts'

/** The parts of a schema that have rules in them or below. */
export class RuleTree {
  readonly schema: Schema
  readonly isResource: boolean
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly values: RuleTree | undefined
  readonly items: RuleTree | undefined
  readonly #rules: readonly ValidationRule[]
  readonly #type: SchemaType | undefined
  #compiled: readonly CompiledRule[] | undefined
  #read: Reader | undefined

  private constructor(parts: Parts) {
    this.schema = parts.schema
    this.isResource = parts.isResource
    this.properties = parts.properties
    this.values = parts.values
    this.items = parts.items
    this.#rules = parts.rules
    this.#type = parts.type
  }

  static of(schema: Schema, isResource: boolean): RuleTree {
    return build(schema, isResource, schemaType(schema, isResource, 'selfType'))
  }

  static make(parts: Parts): RuleTree {
    return new RuleTree(parts)
  }

  /** Compiled when the first value comes: most schemas of an installation are never used. */
  get rules(): readonly CompiledRule[] {
    this.#compiled ??= this.#type ? compileRuleList(this.#rules, this.#type) : []
    return this.#compiled
  }

  read(raw: unknown): ReturnType<Reader> {
    this.#read ??= readerOf(this.schema, this.isResource || isEmbedded(this.schema))
    return this.#read(raw)
  }
}

interface Parts {
  readonly schema: Schema
  readonly isResource: boolean
  readonly rules: readonly ValidationRule[]
  readonly type: SchemaType | undefined
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly values: RuleTree | undefined
  readonly items: RuleTree | undefined
}

const known = new WeakMap<Schema, boolean>()

/** Whether there are rules at a schema or inside of it. */
export function hasRules(schema: Schema): boolean {
  let found = known.get(schema)
  if (found === undefined) {
    const values = valuesSchema(schema)
    const { items } = schema
    found =
      rulesOf(schema).length > 0 ||
      (items !== undefined && hasRules(items)) ||
      (values !== undefined && hasRules(values)) ||
      Object.values(schema.properties ?? {}).some(hasRules)
    known.set(schema, found)
  }
  return found
}

function build(schema: Schema, isResource: boolean, type: SchemaType | undefined): RuleTree {
  const { items } = schema
  const values = valuesSchema(schema)
  const properties = new Map<string, RuleTree>()
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const childType = hasRules(child) ? propertyType(child, name, type) : undefined
    if (childType) properties.set(name, build(child, isEmbedded(child), childType))
  }
  return RuleTree.make({
    schema,
    isResource,
    rules: rulesOf(schema),
    type,
    properties,
    values: values && hasRules(values) ? build(values, isEmbedded(values), type?.element) : undefined,
    items: items && hasRules(items) ? build(items, isEmbedded(items), type?.element) : undefined,
  })
}

/** A field whose name is not a valid identifier can still have rules of its own. Rules do not see fields without a type. */
function propertyType(schema: Schema, name: string, parent: SchemaType | undefined): SchemaType | undefined {
  const escaped = escapeFieldName(name)
  return escaped === undefined
    ? schemaType(schema, isEmbedded(schema), 'selfType')
    : parent?.fields?.get(escaped)
}
