import { goTypeName, goValueText } from '../patch/go-value.ts'
import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { isRawNumber } from '../patch/raw-number.ts'
import type { Schema } from '../schema.ts'
import { declaredField, elementOf, fieldSchema } from './list-elements.ts'
import { pathElementText } from './path-element.ts'

interface Problem {
  readonly path: string
  readonly text: string
}

/**
 * What an applied object has that its schema cannot place: unknown fields, values of the wrong type, items
 * that cannot be distinguished. Ownership needs all of it, so an apply is refused where other writes only warn.
 */
export function appliedProblems(object: JsonObject, schema: Schema): string | undefined {
  const problems = problemsIn(object, schema, '')
  const texts = problems.map(({ path, text }) => (path === '' ? text : `${path}: ${text}`))
  if (texts.length <= 1) return texts[0]
  return ['errors:', ...texts.map((text) => `  ${text}`)].join('\n')
}

function problemsIn(value: unknown, schema: Schema | undefined, path: string): Problem[] {
  if (value === null || value === undefined || schema?.type === undefined) return []
  switch (schema.type) {
    case 'object':
      return isJsonObject(value) ? problemsInFields(value, schema, path) : [expected('map', value, path)]
    case 'array':
      return Array.isArray(value) ? problemsInElements(value, schema, path) : [expected('list', value, path)]
    case 'string':
      if (schema.format === 'quantity') return []
      return typeof value === 'string' ? [] : [{ path, text: `expected string, got ${goSyntax(value)}` }]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [expected('boolean', value, path)]
    default:
      if (typeof value === 'number' || isRawNumber(value)) return []
      return [{ path, text: `expected numeric (int or float), got ${goTypeName(value)}` }]
  }
}

const expected = (what: string, value: unknown, path: string): Problem => ({
  path,
  text: `expected ${what}, got &{${goValueText(value)}}`,
})

/** How Go would write the value down as source text. */
function goSyntax(value: unknown): string {
  const shown = isJsonObject(value) || Array.isArray(value) ? goLiteral(value) : goValueText(value)
  return `&value.valueUnstructured{Value:${shown}}`
}

function goLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(', ')}}`
  if (isJsonObject(value)) {
    const fields = Object.keys(value).sort()
    return `map[string]interface {}{${fields.map((field) => `${JSON.stringify(field)}:${goLiteral(value[field])}`).join(', ')}}`
  }
  if (value === null) return 'interface {}(nil)'
  return typeof value === 'string' ? JSON.stringify(value) : goValueText(value)
}

function problemsInFields(value: JsonObject, schema: Schema, path: string): Problem[] {
  const problems: Problem[] = []
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] || !(schema.properties || schema.additionalProperties)
  for (const field of Object.keys(value)) {
    const below = `${path}.${field}`
    if (!open && !declaredField(schema, field) && !schema.additionalProperties) {
      return [...problems, { path: below, text: 'field not declared in schema' }]
    }
    problems.push(...problemsIn(value[field], fieldSchema(schema, field), below))
  }
  return problems
}

function problemsInElements(value: readonly unknown[], schema: Schema, path: string): Problem[] {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'set' && listType !== 'map') {
    return value.flatMap((item, index) => problemsIn(item, schema.items, `${path}[${index}]`))
  }
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    const element = elementOf(item, schema)
    // Without a path there is no way to say where deeper problems are.
    if (element === undefined)
      return [...problems, { path, text: `element ${index}: ${noElement(item, schema)}` }]
    if (seen.has(element))
      problems.push({ path, text: `duplicate entries for key ${pathElementText(element)}` })
    seen.add(element)
    problems.push(...problemsIn(item, schema.items, path + pathElementText(element)))
  }
  return problems
}

function noElement(item: unknown, schema: Schema): string {
  if (schema['x-kubernetes-list-type'] === 'map') {
    if (item === null) return 'associative list with keys may not have a null element'
    if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements'
    const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => JSON.stringify(key)).join(' ')
    return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`
  }
  if (isJsonObject(item)) return "associative list without keys has an element that's a map type"
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements'
  return "associative list without keys has an element that's an explicit null"
}
