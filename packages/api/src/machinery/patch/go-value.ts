import { compareTexts } from '../managed-fields/path-element.ts'
import { isJsonObject } from './json-value.ts'
import { isRawNumber } from './raw-number.ts'

/** A value as Go prints it, `map[a:1 b:[x y]]`, for messages that clients compare. */
export function goValueText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValueText).join(' ')}]`
  if (isRawNumber(value)) return value.rawJSON
  if (!isJsonObject(value)) return String(value)
  const fields = Object.keys(value).sort(compareTexts)
  return `map[${fields.map((field) => `${field}:${goValueText(value[field])}`).join(' ')}]`
}

/** The type that Go's decoder gives a value where nothing says what it should be. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  if (isRawNumber(value)) return /^-?\d+$/.test(value.rawJSON) ? 'int64' : 'float64'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}
