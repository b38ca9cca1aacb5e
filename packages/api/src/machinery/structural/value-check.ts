import type { JsonObject } from '../patch/json-value.ts'
import { isRawNumber, type RawNumber } from '../patch/raw-number.ts'
import { compileAlternativesCheck } from './check-alternatives.ts'
import { compileEnumCheck } from './check-enum.ts'
import { compileFieldsCheck } from './check-fields.ts'
import { compileItemsCheck } from './check-items.ts'
import { compileNumberCheck } from './check-number.ts'
import { compileTextCheck } from './check-text.ts'
import { compileTypeCheck, typesOf } from './check-type.ts'
import { type Findings, notInEnumAt, wrongTypeAt } from './findings.ts'
import { formatCheckOf } from './formats.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * Adds to the findings what is wrong with a value. `name` is where it is; `old` is what was there before, if there was
 * something and it is known to be the same thing.
 */
export type ValueCheck = (value: unknown, name: string, findings: Findings, old?: unknown) => void

/**
 * All that a schema says of values, as one function. The matches are counted as upstream counts them: one for each
 * check that was made, and one more for each that has something to say about its own parts.
 */
export function compileValueCheck(node: SchemaNode): ValueCheck {
  const { schema } = node
  const types = typesOf(schema)
  const wrongType = compileTypeCheck(schema)
  const alternatives = compileAlternativesCheck(node)
  const text = compileTextCheck(node)
  const format = formatCheckOf(schema)
  const number = compileNumberCheck(schema)
  const items = compileItemsCheck(node)
  const fields = compileFieldsCheck(node)
  const isEnumerated = schema.enum && schema.enum.length > 0 ? compileEnumCheck(schema.enum) : undefined
  const values = schema.enum ?? []
  const nullFits = types.length === 0 || schema.nullable === true

  return (value, name, findings, old) => {
    const { found } = findings
    if (value === null) {
      if (nullFits) findings.matches++
      else found.push(wrongTypeAt(name, types.join(','), 'null'))
      if (isEnumerated) found.push(notInEnumAt(name, value, values))
      return
    }
    if (wrongType) {
      const problem = wrongType(value, name)
      if (problem) found.push(problem)
      findings.matches += problem ? 1 : 2
    }
    alternatives?.(value, name, findings, old)
    // The alternatives, the enumeration, and the schema itself.
    findings.matches += 4
    if (typeof value === 'string') {
      text?.(value, name, found)
      format?.(value, name, found)
      findings.matches += format ? 2 : 1
    } else if (typeof value === 'number' || isRawNumber(value)) {
      number?.(value as number | RawNumber, name, found)
      findings.matches += 2
    } else if (Array.isArray(value)) {
      items(value, name, findings, old)
      findings.matches += 2
    }
    if (isEnumerated && !isEnumerated(value)) found.push(notInEnumAt(name, value, values))
    if (typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value)) {
      fields(value as JsonObject, name, findings, old)
      findings.matches++
    }
  }
}
