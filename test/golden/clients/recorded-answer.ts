import { decodeProtobuf, openEnvelope, protobufMessage } from '@strata/api'
import type { CapturedAnswer } from './captured-run.ts'
import { parsePartialJson } from './partial-json.ts'

type Message = NonNullable<ReturnType<typeof protobufMessage>>

const parseJson = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

/** The recorded response, as JSON; undefined if it was not kept. */
export function recordedJson({ body, bodyBase64, contentType = '', truncated }: CapturedAnswer): unknown {
  if (bodyBase64 !== undefined) return truncated ? undefined : decodeAnswer(Buffer.from(bodyBase64, 'base64'))
  if (body === undefined || body === '' || !(contentType.includes('json') || body.startsWith('{')))
    return undefined
  return parsePartialJson(body)
}

function decodeAnswer(bytes: Buffer): unknown {
  const { apiVersion, kind, raw } = openEnvelope(bytes)
  const message = protobufMessage(apiVersion, kind) ?? listMessage(apiVersion, kind)
  // Protobuf does not tell an empty list from none; of a List, JSON always has the items.
  const items = kind.endsWith('List') && kind !== 'APIResourceList' ? { items: [] } : {}
  return message && { kind, apiVersion, ...items, ...decodeProtobuf(raw, message, parseJson) }
}

/** Lists are never sent to a server, so no table has them: their metadata, and items of one kind. */
function listMessage(apiVersion: string, kind: string): Message | undefined {
  const item = kind.endsWith('List') ? protobufMessage(apiVersion, kind.slice(0, -4)) : undefined
  const metadata = protobufMessage('v1', 'Status')?.fields.get(1)
  if (!item || !metadata) return undefined
  const items = { name: 'items', shape: 'list', type: () => item, keepsZero: false } as const
  return {
    name: kind,
    isUnion: false,
    fields: new Map([
      [1, metadata],
      [2, items],
    ]),
  }
}

export interface WatchEvent {
  readonly type: string
  readonly object: unknown
}

const LENGTH_BYTES = 4

/** The events of a recorded watch that are whole. */
export function recordedEvents({ body = '', bodyBase64 }: CapturedAnswer): readonly WatchEvent[] {
  if (bodyBase64 === undefined) return parseEvents(body)
  const bytes = Buffer.from(bodyBase64, 'base64')
  const events: WatchEvent[] = []
  for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const frame = bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + length)
    if (frame.length < length) break
    at += LENGTH_BYTES + length
    events.push(decodeFrame(frame))
  }
  return events
}

/** A watch event: its type (1), and its object (2) in a RawExtension (1), which is an envelope again. */
const watchEvent: Message = {
  name: 'WatchEvent',
  isUnion: false,
  fields: new Map([
    [1, { name: 'type', shape: 'one', type: 'string', keepsZero: true }],
    [2, { name: 'object', shape: 'one', type: 'json', keepsZero: true }],
  ]),
}

function decodeFrame(frame: Buffer): WatchEvent {
  return decodeProtobuf(
    frame,
    watchEvent,
    (raw) => decodeAnswer(Buffer.from(raw)) ?? null,
  ) as unknown as WatchEvent
}

/** One JSON value per line; a line that is cut off is left out. */
export function parseEvents(text: string): readonly WatchEvent[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line) as WatchEvent]
    } catch {
      return []
    }
  })
}
