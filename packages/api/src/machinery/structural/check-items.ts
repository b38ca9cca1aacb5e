import { jsonEqual } from '../patch/json-value.ts'
import { limitOf } from '../patch/raw-number.ts'
import { type Findings, invalidAt, tooManyAt } from './findings.ts'
import { checkRatcheting, keyedItems } from './ratchet.ts'
import type { SchemaNode } from './schema-node.ts'

/** The items of a list, and how many there are. */
export function compileItemsCheck(
  node: SchemaNode,
): (value: readonly unknown[], name: string, findings: Findings, old: unknown) => void {
  const { uniqueItems } = node.schema
  const minItems = limitOf(node.schema.minItems)
  const maxItems = limitOf(node.schema.maxItems)
  return (value, name, findings, old) => {
    const { items } = node
    if (items) {
      const before = Array.isArray(old) ? keyedItems(node.schema, old) : undefined
      for (const [index, each] of value.entries()) {
        checkRatcheting(items, each, `${name}[${index}]`, findings, before?.(each))
      }
    }
    const count = value.length
    if (minItems !== undefined && count < minItems) {
      findings.found.push(invalidAt(name, count, `${name} in body should have at least ${minItems} items`))
    }
    if (maxItems !== undefined && count > maxItems) {
      findings.found.push(tooManyAt(name, 'items', count, maxItems))
    }
    if (
      uniqueItems &&
      value.some((each, index) => value.slice(0, index).some((one) => jsonEqual(one, each)))
    ) {
      findings.found.push(invalidAt(name, '', `${name} in body shouldn't contain duplicates`))
    }
  }
}
