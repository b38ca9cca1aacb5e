import { compilePattern, type Pattern } from './compile-pattern.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const shortName = new RegExp(`^${label}$`)
const longName = new RegExp(`^${label}(\\.${label})*$`)

export const isShortName = (text: string): boolean => text.length <= 63 && shortName.test(text)
export const isLongName = (text: string): boolean => text.length <= 253 && longName.test(text)

/** One label, or several of which the last has letters only. Letters and symbols of any script are letters. */
const hostname =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$'
const plain = /^[a-zA-Z0-9](?:-?[a-zA-Z0-9]{0,62})?$/
let compiled: Pattern | undefined

/** RFC 1034, with lengths in bytes. */
export function isHostname(text: string): boolean {
  if (text.length > 255 || bytesOf(text) > 255) return false
  if (text.split('.').some((each) => bytesOf(each) > 63)) return false
  if (plain.test(text)) return true
  compiled ??= compilePattern(hostname)
  return typeof compiled === 'function' && compiled(text)
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
