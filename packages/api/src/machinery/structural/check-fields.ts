import { isJsonObject, type JsonObject } from '../patch/json-value.ts'
import { limitOf } from '../patch/raw-number.ts'
import { type Findings, invalidAt, requiredAt, tooManyAt } from './findings.ts'
import { checkRatcheting } from './ratchet.ts'
import type { SchemaNode } from './schema-node.ts'

/** The fields of an object: how many there are, each of them, and those that are missing. */
export function compileFieldsCheck(
  node: SchemaNode,
): (value: JsonObject, name: string, findings: Findings, old: unknown) => void {
  const { minProperties, maxProperties, required = [], additionalProperties, properties } = node.schema
  const countMatters = minProperties !== undefined || maxProperties !== undefined
  return (value, name, findings, old) => {
    if (countMatters) checkCount(value, node, name, findings)
    const before = isJsonObject(old) ? old : undefined
    if (additionalProperties !== undefined) checkAdditional(node, value, name, findings, before)
    if (properties !== undefined) {
      for (const field in value) {
        const each = value[field]
        if (each === undefined) continue
        const child = node.field(field)
        if (!child) continue
        const path = name === '' ? field : `${name}.${field}`
        // The old apiVersion and kind are not known here: both objects have been converted to the same version.
        const isTypeMeta = name === '' && (field === 'apiVersion' || field === 'kind')
        checkRatcheting(child, each, path, findings, isTypeMeta ? undefined : oldField(before, field))
      }
    }
    for (const field of required) {
      if (!Object.hasOwn(value, field) || value[field] === undefined) {
        findings.found.push(requiredAt(`${name}.${field}`))
      }
    }
  }
}

const oldField = (old: JsonObject | undefined, field: string): unknown =>
  old && Object.hasOwn(old, field) ? old[field] : undefined

function checkCount(value: JsonObject, { schema }: SchemaNode, name: string, { found }: Findings): void {
  const minProperties = limitOf(schema.minProperties)
  const maxProperties = limitOf(schema.maxProperties)
  const count = Object.values(value).filter((each) => each !== undefined).length
  if (minProperties !== undefined && count < minProperties) {
    found.push(invalidAt(name, count, `${name} in body should have at least ${minProperties} properties`))
  }
  if (maxProperties !== undefined && count > maxProperties) {
    found.push(tooManyAt(name, 'properties', count, maxProperties))
  }
}

function checkAdditional(
  node: SchemaNode,
  value: JsonObject,
  name: string,
  findings: Findings,
  old: JsonObject | undefined,
): void {
  const { additional } = node
  const isForbidden = node.schema.additionalProperties === false
  if (!additional && !isForbidden) return
  for (const field in value) {
    if (value[field] === undefined || node.field(field)) continue
    const path = `${name}.${field}`
    if (additional) checkRatcheting(additional, value[field], path, findings, oldField(old, field))
    else findings.found.push(invalidAt(name, field, `${path} in body is a forbidden property`))
  }
}
