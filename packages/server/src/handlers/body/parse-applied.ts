import {
  type ApiError,
  badRequest,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  jsonTypeName,
  parseSent,
  tooDeep,
} from '@strata/api'
import { countKeys, countKeysIn, MalformedJson, textOf } from '../../codec/index.ts'
import type { RequestContext } from '../request-context.ts'

export interface AppliedBody {
  readonly object: JsonObject
  /** Duplicate keys, for strict field validation. */
  readonly twice: readonly string[]
}

/** Parses an applied object as YAML or JSON. JSON is also YAML, and parses much faster. */
export async function parseApplied(bytes: Uint8Array, context: RequestContext): Promise<AppliedBody> {
  const text = textOf(bytes)
  if (isTooDeep(text)) throw malformed(`yaml: ${tooDeep}`)
  const json = parseJson(text)
  if (json !== undefined && countKeysIn(text) === countKeys(json)) {
    return { object: objectOf(json), twice: [] }
  }
  const { readYaml } = await import('./yaml.ts')
  try {
    const { value, twice } = await readYaml(text, context)
    return { object: objectOf(json ?? value), twice }
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw malformed(error.message)
  }
}

const malformed = (problem: string): ApiError =>
  badRequest(`error decoding patch: error converting YAML to JSON: ${problem}`)

function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return parseSent(text)
  } catch {
    return undefined
  }
}

function objectOf(value: unknown): JsonObject {
  if (value === null || value === undefined) return {}
  if (isJsonObject(value)) return value
  throw badRequest(
    `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
  )
}
