import {
  type ApiError,
  badRequest,
  decodeProtobuf,
  type Envelope,
  isJsonObject,
  isTooDeep,
  MalformedProtobuf,
  NumberOutOfRange,
  openEnvelope,
  parseSent,
  protobufMessage,
  tooDeep,
} from '@strata/api'
import { MalformedJson, parseObjectText, textOf } from '../../codec/index.ts'
import type { RequestContext } from '../request-context.ts'
import { type BodyFormat, bodyFormat, readBody } from './body.ts'

export interface ParsedBody {
  readonly object: Record<string, unknown>
  readonly format: BodyFormat
  /** The JSON text, to find duplicate keys. Undefined for other formats: YAML has `twice`, and protobuf has no keys. */
  readonly json: string | undefined
  /** Duplicate keys of a YAML text, in the words of upstream's parser. */
  readonly twice?: readonly string[]
}

/** The kind that the path names. It fills in what a body leaves out. */
export interface WantedKind {
  readonly apiVersion: string
  readonly kind: string
}

/** The problem of a field with a number beyond a float64; undefined if the kind has no such field. */
export type FieldProblem = (object: Record<string, unknown>) => ApiError | undefined

/** Parses the object in the body. Errors are upstream's. */
export async function parseBody(
  context: RequestContext,
  wanted: WantedKind,
  fieldProblem?: FieldProblem,
): Promise<ParsedBody> {
  const format = bodyFormat(context, () => protobufMessage(wanted.apiVersion, wanted.kind) !== undefined)
  const bytes = await readBody(context)
  try {
    switch (format) {
      case 'json':
        return parseJson(bytes, fieldProblem)
      case 'yaml': {
        const { readYaml } = await import('./yaml.ts')
        const { value, twice } = await readYaml(textOf(bytes), context)
        if (!isJsonObject(value)) throw new MalformedJson('yaml: expected an object')
        return { object: value, format, json: undefined, twice }
      }
      case 'protobuf':
        return { object: parseProtobuf(openEnvelope(bytes), wanted), format, json: undefined }
    }
  } catch (error) {
    if (!(error instanceof MalformedJson || error instanceof MalformedProtobuf)) throw error
    throw badRequest(
      `the object provided is unrecognized (must be of type ${wanted.kind}): ${error.message} (${summary(bytes)})`,
    )
  }
}

function parseJson(bytes: Uint8Array, fieldProblem?: FieldProblem): ParsedBody {
  const json = textOf(bytes)
  try {
    if (isTooDeep(json)) throw new MalformedJson(tooDeep)
    return { object: parseObjectText(json, parseSent), format: 'json', json }
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    // Parsed again only now: the parser knows the number, but not its field.
    const named = error.cause instanceof NumberOutOfRange ? fieldProblem?.(parseObjectText(json)) : undefined
    throw named ?? new MalformedJson(`couldn't get version/kind; json parse error: ${error.message}`)
  }
}

/** Returns only the names of a kind without a protobuf message: they are enough to refuse a body of another kind. */
function parseProtobuf(envelope: Envelope, wanted: WantedKind): Record<string, unknown> {
  const apiVersion = envelope.apiVersion || wanted.apiVersion
  const kind = envelope.kind || wanted.kind
  const message = protobufMessage(apiVersion, kind)
  if (!message) return { apiVersion, kind }
  try {
    return { apiVersion, kind, ...decodeProtobuf(envelope.raw, message, parseEmbedded) }
  } catch (error) {
    if (!(error instanceof MalformedProtobuf)) throw error
    const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
    throw badRequest(
      `${kind} in version "${versionName}" cannot be handled as a ${wanted.kind}: ${error.message}`,
    )
  }
}

function parseEmbedded(bytes: Uint8Array): unknown {
  try {
    const text = textOf(bytes)
    if (isTooDeep(text)) throw new MalformedJson(tooDeep)
    return parseSent(text)
  } catch {
    throw new MalformedProtobuf('a field that should hold JSON does not')
  }
}

const summaryBytes = 30

/** The beginning of the body: as text if it looks like JSON, else in hexadecimal. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>'
  const rest = bytes.length > summaryBytes ? ' ...' : ''
  const begin = Buffer.from(bytes.subarray(0, summaryBytes))
  return begin[0] === 0x7b ? begin.toString('utf8') + rest : begin.toString('hex') + rest
}
