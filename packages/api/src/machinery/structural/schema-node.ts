import { cloneJson } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { compilePattern, type Pattern } from './compile-pattern.ts'
import { pruneValue } from './prune.ts'
import { compileValueCheck, type ValueCheck } from './value-check.ts'

/**
 * One place in a schema, and what was worked out about it. Nothing is worked out before a value comes to this place:
 * most of a large schema is never used, and hundreds of them may be installed.
 */
export class SchemaNode {
  readonly schema: Schema
  /** Patterns repeat within a schema, and take longer to compile than to use. */
  readonly #patterns: Map<string, Pattern>
  #fields: Map<string, SchemaNode> | undefined
  #additional: SchemaNode | undefined
  #items: SchemaNode | undefined
  #alternatives: Map<Schema, SchemaNode> | undefined
  #check: ValueCheck | undefined
  #default: unknown
  #defaultLength: number | undefined
  #defaults: readonly (readonly [field: string, node: SchemaNode])[] | undefined
  #below: Below | undefined

  constructor(schema: Schema, patterns = new Map<string, Pattern>()) {
    this.schema = schema
    this.#patterns = patterns
  }

  /** Whether values are objects of the API themselves, with apiVersion, kind and metadata. */
  get isEmbedded(): boolean {
    return this.schema['x-kubernetes-embedded-resource'] === true
  }

  /** Whether values keep what is not specified. */
  get keepsAll(): boolean {
    return this.schema['x-kubernetes-preserve-unknown-fields'] === true
  }

  /** The schema of a field that `properties` names. */
  field(name: string): SchemaNode | undefined {
    const known = this.#fields?.get(name)
    if (known) return known
    const { properties } = this.schema
    if (!properties || !Object.hasOwn(properties, name)) return undefined
    const node = this.#node(properties[name] as Schema)
    this.#fields ??= new Map()
    this.#fields.set(name, node)
    return node
  }

  /** The schema of fields that `properties` does not name, if there is one. */
  get additional(): SchemaNode | undefined {
    if (this.#additional) return this.#additional
    const { additionalProperties } = this.schema
    if (typeof additionalProperties !== 'object') return undefined
    this.#additional = this.#node(additionalProperties)
    return this.#additional
  }

  /** The schema of any field. */
  of(name: string): SchemaNode | undefined {
    return this.field(name) ?? this.additional
  }

  get items(): SchemaNode | undefined {
    if (!this.#items && this.schema.items) this.#items = this.#node(this.schema.items)
    return this.#items
  }

  /** The node of a member of allOf, anyOf, oneOf or not. */
  alternative(schema: Schema): SchemaNode {
    this.#alternatives ??= new Map()
    let node = this.#alternatives.get(schema)
    if (!node) {
      node = this.#node(schema)
      this.#alternatives.set(schema, node)
    }
    return node
  }

  get check(): ValueCheck {
    this.#check ??= compileValueCheck(this)
    return this.#check
  }

  /** The default for a value that is left out, or null. Unknown fields of a default are pruned as in objects. */
  get default(): unknown {
    if (this.#default === undefined) {
      this.#default = cloneJson(this.schema.default ?? null)
      pruneValue(this.#default, this)
    }
    return this.#default
  }

  /** About what it takes as JSON, in the field that it is put into. */
  get defaultLength(): number {
    this.#defaultLength ??= JSON.stringify(this.default).length + '"":,'.length
    return this.#defaultLength
  }

  /** Fields that get a value where they are left out. */
  get defaults(): readonly (readonly [field: string, node: SchemaNode])[] {
    this.#defaults ??= Object.keys(this.schema.properties ?? {}).flatMap((field) => {
      const given = this.schema.properties?.[field]?.default
      const node = given === undefined || given === null ? undefined : this.field(field)
      return node ? [[field, node] as const] : []
    })
    return this.#defaults
  }

  /** The features of this schema and everything below it, so that walks can skip parts without them. */
  get below(): Below {
    this.#below ??= lookBelow(this.schema)
    return this.#below
  }

  pattern(text: string): Pattern {
    let pattern = this.#patterns.get(text)
    if (!pattern) {
      pattern = compilePattern(text)
      this.#patterns.set(text, pattern)
    }
    return pattern
  }

  #node(schema: Schema): SchemaNode {
    return new SchemaNode(schema, this.#patterns)
  }
}

export interface Below {
  readonly defaults: boolean
  readonly lists: boolean
  readonly embedded: boolean
}

function lookBelow(schema: Schema): Below {
  const found = { defaults: false, lists: false, embedded: false }
  look(schema, found)
  return found
}

function look(schema: Schema, found: { defaults: boolean; lists: boolean; embedded: boolean }): void {
  if (schema.default !== undefined) found.defaults = true
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'set' || listType === 'map') found.lists = true
  if (schema['x-kubernetes-embedded-resource']) found.embedded = true
  if (found.defaults && found.lists && found.embedded) return
  if (schema.items) look(schema.items, found)
  if (typeof schema.additionalProperties === 'object') look(schema.additionalProperties, found)
  for (const field in schema.properties) look(schema.properties[field] as Schema, found)
}
