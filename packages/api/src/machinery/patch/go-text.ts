import { compareTexts } from '../managed-fields/path-element.ts'
import { isJsonObject } from './json-value.ts'
import { isRawNumber, plainNumber } from './raw-number.ts'

/** A value as Go prints it where people read it: texts as they are, lists and objects as JSON. */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) || isJsonObject(value)) return goJson(value)
  if (isRawNumber(value)) {
    const plain = plainNumber(value)
    return typeof plain === 'number' ? floatText(plain) : plain.rawJSON
  }
  return typeof value === 'number' ? floatText(value) : String(value)
}

/** Go writes small fractions with an exponent earlier than JavaScript does, and with two digits of it. */
function floatText(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

/** With the fields in the order of their names, and without characters that mean something in HTML. */
function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (isJsonObject(value)) {
    const fields = Object.keys(value).sort(compareTexts)
    return `{${fields.map((field) => `${goJson(field)}:${goJson(value[field])}`).join(',')}}`
  }
  if (isRawNumber(value)) return JSON.stringify(plainNumber(value))
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
