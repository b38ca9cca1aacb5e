import { badRequest } from '@strata/api'
import { MalformedJson, parseObject, textOf } from '../codec/index.ts'
import { type BodyFormat, bodyFormat, readBody } from './body.ts'
import type { RequestContext } from './request-context.ts'

export interface ParsedBody {
  readonly object: Record<string, unknown>
  /** The text it was parsed from, as JSON: for finding duplicate keys. Undefined for YAML, which forbids them. */
  readonly json: string | undefined
}

/** The object in the body. What is wrong with it is said in upstream's words. */
export async function parseBody(context: RequestContext, kind: string): Promise<ParsedBody> {
  const format = bodyFormat(context)
  const bytes = await readBody(context)
  try {
    return await parse(bytes, format)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${error.message} (${summary(bytes)})`,
    )
  }
}

async function parse(bytes: Uint8Array, format: BodyFormat): Promise<ParsedBody> {
  if (format === 'yaml') {
    const { parseYaml } = await import('./yaml.ts')
    return { object: parseYaml(textOf(bytes)), json: undefined }
  }
  try {
    return { object: parseObject(bytes), json: textOf(bytes) }
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw new MalformedJson(`couldn't get version/kind; json parse error: ${error.message}`)
  }
}

const summaryBytes = 30

/** The beginning of what was sent: as text if it looks like JSON, else in hexadecimal. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>'
  const rest = bytes.length > summaryBytes ? ' ...' : ''
  const begin = Buffer.from(bytes.subarray(0, summaryBytes))
  return begin[0] === 0x7b ? begin.toString('utf8') + rest : begin.toString('hex') + rest
}
