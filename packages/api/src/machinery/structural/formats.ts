import type { Schema } from '../schema.ts'
import type { TextCheck } from './check-text.ts'
import { wrongTypeAt } from './findings.ts'
import { isCidr, isIPv4, isIPv6, isMac } from './format-address.ts'
import { isCreditCard, isIsbn10, isIsbn13 } from './format-checksum.ts'
import { isEmail } from './format-email.ts'
import { isHostname, isLongName, isShortName } from './format-name.ts'
import { isDate, isDateTime, isDuration } from './format-time.ts'
import { isRequestUri } from './format-uri.ts'

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)

/** The formats of texts that upstream checks, named without dashes. All others mean nothing. */
const formats = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matches(rgbColor())],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', isShortName],
  ['k8slongname', isLongName],
])

function rgbColor(): RegExp {
  const space = '[\\t\\n\\f\\r ]*'
  const part = `${space}(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])${space}`
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`)
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

/** The format, if upstream knows it for the schema's type. */
export function supportedFormat(schema: Schema): string | undefined {
  const { format } = schema
  if (!format) return undefined
  const type = schema['x-kubernetes-int-or-string'] ? '' : (schema.type ?? '')
  if (type === '' || type === 'string') return formats.has(normalized(format)) ? format : undefined
  return numberFormats[type]?.includes(format) ? format : undefined
}

const normalized = (format: string): string => format.replaceAll('-', '')

export function formatCheckOf(schema: Schema): TextCheck | undefined {
  const format = supportedFormat(schema)
  const fits = format && formats.get(normalized(format))
  if (!fits) return undefined
  return (value, name, found) => {
    if (!fits(value)) found.push(wrongTypeAt(name, format, value))
  }
}
