import { MalformedProtobuf, WireReader, wireTypes } from './wire-reader.ts'

/** `k8s` and a zero byte: the magic number of every object in protobuf. */
const prefix = [0x6b, 0x38, 0x73, 0x00]

/** The envelope of an object: its kind and its bytes. Upstream calls it `runtime.Unknown`. */
export interface Envelope {
  /** '' where the sender leaves it to the path. */
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
}

export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new MalformedProtobuf('empty data')
  if (!prefix.every((byte, index) => bytes[index] === byte)) {
    throw new MalformedProtobuf(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(' ')}]`,
    )
  }
  if (bytes.length === prefix.length) throw new MalformedProtobuf('empty body')
  let apiVersion = ''
  let kind = ''
  let raw = new Uint8Array()
  const reader = new WireReader(bytes, prefix.length)
  while (reader.next('Unknown')) {
    // Content encoding and content type (3 and 4) are for programs that store objects that they cannot decode.
    if (reader.field > 2) {
      reader.skip()
      continue
    }
    expect(reader, reader.field === 1 ? 'TypeMeta' : 'Raw')
    if (reader.field === 2) {
      raw = reader.bytes() as Uint8Array<ArrayBuffer>
      continue
    }
    const typeMeta = reader.message()
    while (typeMeta.next('TypeMeta')) {
      if (typeMeta.field > 2) {
        typeMeta.skip()
        continue
      }
      expect(typeMeta, typeMeta.field === 1 ? 'APIVersion' : 'Kind')
      if (typeMeta.field === 1) apiVersion = typeMeta.text()
      else kind = typeMeta.text()
    }
  }
  return { apiVersion, kind, raw }
}

function expect(reader: WireReader, field: string): void {
  if (reader.wireType !== wireTypes.bytes) {
    throw new MalformedProtobuf(`proto: wrong wireType = ${reader.wireType} for field ${field}`)
  }
}
