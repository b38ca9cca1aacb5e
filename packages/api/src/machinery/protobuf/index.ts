import { decodeMessage, type ParseJson } from './decode-message.ts'
import type { Message } from './message-table.ts'
import { WireReader } from './wire-reader.ts'

export { type Envelope, openEnvelope } from './envelope.ts'
export { protobufMessage } from './message-table.ts'
export { MalformedProtobuf, WireReader } from './wire-reader.ts'

/** The bytes of an object, without its envelope, as the JSON object that they mean. */
export function decodeProtobuf(
  raw: Uint8Array,
  message: Message,
  parseJson: ParseJson,
): Record<string, unknown> {
  return decodeMessage(new WireReader(raw), message, parseJson) as Record<string, unknown>
}
