import type { RawNumber } from '../patch/raw-number.ts'
import type { Schema } from '../schema.ts'
import { type Finding, wrongTypeAt } from './findings.ts'
import { supportedFormat } from './formats.ts'
import { goKindOf, goNumber, isNearInteger } from './go-number.ts'

export type TypeCheck = (value: unknown, name: string) => Finding | undefined

/** The types that a value may have: none means any. */
export function typesOf({ type, 'x-kubernetes-int-or-string': either }: Schema): readonly string[] {
  if (either) return ['integer', 'string']
  return type === undefined || (type as string) === '' ? [] : [type]
}

/**
 * Whether a value has its type. Upstream mixes types with formats: if there is a format, the error for a value that is not
 * a text names the format's type, and a list is accepted.
 */
export function compileTypeCheck(schema: Schema): TypeCheck | undefined {
  const types = typesOf(schema)
  const format = supportedFormat(schema)
  if (types.length === 0 && format === undefined) return undefined
  const joined = types.join(',')
  const numeric = types.includes('number') || types.includes('integer')
  return (value, name) => {
    const kind = goKindOf(value)
    const fits =
      types.includes(kind) ||
      (kind === 'integer' && types.includes('number')) ||
      (kind === 'number' &&
        types.includes('integer') &&
        isNearInteger(Number(goNumber(value as number | RawNumber).value)))
    if (format !== undefined) {
      const ofKind = goFormat[kind] ?? ''
      const isTextOrList = kind === 'string' || kind === 'array'
      if (!isTextOrList && !fits && ofKind !== format) return wrongTypeAt(name, format, ofKind)
      if (isTextOrList && !numeric) return undefined
    }
    return fits ? undefined : wrongTypeAt(name, joined, kind)
  }
}

/** What upstream takes for the format of a value. */
const goFormat: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }
