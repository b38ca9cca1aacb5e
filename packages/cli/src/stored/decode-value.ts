import { decodeProtobuf, MalformedProtobuf, openEnvelope, protobufMessage } from '@strata/api'
import type { ReadValue } from './read-value.ts'

/** The object in a stored value that is not encrypted, or was opened. Undefined if damaged, or of an unknown protobuf kind. */
export function decodeOrNot(
  value: Uint8Array,
  { form, apiVersion = '', kind = '' }: Pick<ReadValue, 'form' | 'apiVersion' | 'kind'>,
): unknown {
  if (form === 'json') return parseOrNot(value)
  const message = form === 'protobuf' ? protobufMessage(apiVersion, kind) : undefined
  if (message === undefined) return undefined
  try {
    return decodeProtobuf(openEnvelope(value).raw, message, parseOrNot)
  } catch (error) {
    if (error instanceof MalformedProtobuf) return undefined
    throw error
  }
}

function parseOrNot(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value).toString())
  } catch {
    return undefined
  }
}
