import { type FieldError, invalid } from '../field-error.ts'

const maxBytes = 128
/** Letters, marks, numbers, punctuation, symbols, and of all spaces only the plain one. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** Who wrote: the name the client gave, else the first part of its User-Agent. */
export function fieldManagerName(given: string | undefined, userAgent: string | undefined): string {
  return given || nameFromUserAgent(userAgent ?? '') || 'unknown'
}

/** The user did not choose this name, so an invalid part is cut off and not refused. */
function nameFromUserAgent(userAgent: string): string {
  let name = ''
  let bytes = 0
  for (const character of userAgent.split('/', 1)[0] ?? '') {
    if (!printable.test(character)) continue
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    name += character
  }
  return name
}

/** What is wrong with the `fieldManager` a client gave. */
export function fieldManagerErrors(name: string, path = 'fieldManager'): readonly FieldError[] {
  const errors: FieldError[] = []
  if (byteLength(name) > maxBytes) {
    errors.push({ path, reason: 'FieldValueTooLong', detail: `may not be more than ${maxBytes} bytes` })
  }
  let position = 0
  for (const character of name) {
    if (!printable.test(character)) {
      errors.push(
        invalid(path, name, `invalid character ${codePointText(character)} (at position ${position})`),
      )
    }
    position += byteLength(character)
  }
  return errors
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const codePointText = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
