import { badRequest, isJsonObject, type JsonObject, jsonTypeName } from '@strata/api'
import { countKeys, countKeysAtMost, MalformedJson, parseLossless, textOf } from '../codec/index.ts'

export interface AppliedBody {
  readonly object: JsonObject
  /** What a strict reader has to say: keys that stand twice. */
  readonly twice: readonly string[]
}

/** The object that a client applies, as YAML or as JSON, which is YAML too and much sooner read. */
export async function parseApplied(bytes: Uint8Array): Promise<AppliedBody> {
  const text = textOf(bytes)
  const json = parseJson(text)
  if (json !== undefined && countKeysAtMost(text) === countKeys(json)) {
    return { object: objectOf(json), twice: [] }
  }
  const { parseLooseYaml } = await import('./yaml.ts')
  try {
    const { value, twice } = parseLooseYaml(text)
    return { object: objectOf(json ?? value), twice }
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw badRequest(`error decoding patch: error converting YAML to JSON: ${error.message}`)
  }
}

function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return parseLossless(text)
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
