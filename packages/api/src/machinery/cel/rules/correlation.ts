import { isJsonObject, type JsonObject, jsonEqual } from '../../patch/json-value.ts'
import type { Schema } from '../../schema.ts'
import { keyedItems } from '../../structural/ratchet.ts'
import { valuesSchema } from './rule-schema.ts'

/** A part of an object beside the part that it takes the place of. */
export class Correlated {
  readonly #value: unknown
  readonly #old: unknown
  readonly #schema: Schema
  #isSame: boolean | undefined
  #itemOf: ((item: unknown) => unknown) | undefined

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.#value = value
    this.#old = old
    this.#schema = schema
  }

  /** Whether nothing has changed. Lists with keys may have changed their order. */
  isSame(): boolean {
    this.#isSame ??= this.#compare()
    return this.#isSame
  }

  #compare(): boolean {
    const value = this.#value
    const old = this.#old
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return jsonEqual(value, old)
      return value.every((_, index) => this.item(index)?.isSame() ?? false)
    }
    if (!isJsonObject(value) || !isJsonObject(old)) return jsonEqual(value, old)
    const fields = fieldsOf(value)
    return (
      fields.length === fieldsOf(old).length && fields.every((field) => this.field(field)?.isSame() ?? false)
    )
  }

  field(name: string): Correlated | undefined {
    const value = this.#value
    const old = this.#old
    if (!isJsonObject(value) || !isJsonObject(old)) return undefined
    const { properties } = this.#schema
    const schema =
      (properties && Object.hasOwn(properties, name) ? properties[name] : undefined) ??
      valuesSchema(this.#schema)
    if (!schema || value[name] === undefined || !Object.hasOwn(old, name) || old[name] === undefined)
      return undefined
    return new Correlated(value[name], old[name], schema)
  }

  item(index: number): Correlated | undefined {
    const { items } = this.#schema
    if (!items || !Array.isArray(this.#value)) return undefined
    if (Array.isArray(this.#old)) this.#itemOf ??= keyedItems(this.#schema, this.#old)
    const item = this.#value[index] as unknown
    const old = this.#itemOf?.(item)
    return old === undefined ? undefined : new Correlated(item, old, items)
  }
}

const fieldsOf = (object: JsonObject): string[] =>
  Object.keys(object).filter((field) => object[field] !== undefined)

/** The position of a value in an object, with its old value. */
export interface Ratchet {
  readonly current: Correlated | undefined
  /** The nearest enclosing value that has a known old value. */
  readonly around: Correlated | undefined
}

/** A violation by an unchanged value is tolerated. */
export const isTolerated = ({ current, around }: Ratchet): boolean => (current ?? around)?.isSame() ?? false

export function ratchetField(ratchet: Ratchet, name: string): Ratchet {
  const { current, around } = ratchet
  if (!current) return ratchet
  // Both are converted to one apiVersion before they are compared.
  if (!around && (name === 'apiVersion' || name === 'kind')) return { current: undefined, around: undefined }
  return { current: current.field(name), around: current }
}

export const ratchetItem = (ratchet: Ratchet, index: number): Ratchet =>
  ratchet.current ? { current: ratchet.current.item(index), around: ratchet.current } : ratchet
