import { FRAME_HEADER_BYTES, WireReader, WireWriter } from '../../store/index.ts'

/** Data that an object carries in clear text besides its ciphertext, as the plugin requested. */
export type Annotations = Readonly<Record<string, Uint8Array>>

export interface KmsStatus {
  readonly version: string
  readonly healthz: string
  readonly keyID: string
}

/** A secret wrapped by a plugin. */
export interface Wrapped {
  readonly ciphertext: Uint8Array
  readonly keyID: string
  readonly annotations: Annotations
}

/** How the plaintext of a wrapped secret becomes the key of one object. */
export const keyIsGiven = 0
export const keyIsDerived = 1

/** The stored form of one object, after the prefix. */
export interface EncryptedObject extends Wrapped {
  readonly data: Uint8Array
  readonly source: number
}

const request = (): WireWriter => new WireWriter(256, FRAME_HEADER_BYTES)

export function encodeStatusRequest(): Buffer {
  return request().finish()
}

export function decodeStatus(message: Buffer): KmsStatus {
  const reader = new WireReader(message)
  let [version, healthz, keyID] = ['', '', '']
  while (reader.next()) {
    if (reader.field === 1) version = reader.string()
    else if (reader.field === 2) healthz = reader.string()
    else if (reader.field === 3) keyID = reader.string()
    else reader.skip()
  }
  return { version, healthz, keyID }
}

export function encodeEncryptRequest(plaintext: Uint8Array, uid: string): Buffer {
  const writer = request()
  writer.bytes(1, plaintext)
  writer.string(2, uid)
  return writer.finish()
}

export function decodeEncryptResponse(message: Buffer): Wrapped {
  const reader = new WireReader(message)
  const annotations = noAnnotations()
  let ciphertext: Uint8Array = new Uint8Array()
  let keyID = ''
  while (reader.next()) {
    if (reader.field === 1) ciphertext = reader.bytes()
    else if (reader.field === 2) keyID = reader.string()
    else if (reader.field === 3) readAnnotation(reader.message(), annotations)
    else reader.skip()
  }
  return { ciphertext, keyID, annotations }
}

export function encodeDecryptRequest({ ciphertext, keyID, annotations }: Wrapped, uid: string): Buffer {
  const writer = request()
  writer.bytes(1, ciphertext)
  writer.string(2, uid)
  writer.string(3, keyID)
  writeAnnotations(writer, 4, annotations)
  return writer.finish()
}

export function decodeDecryptResponse(message: Buffer): Uint8Array {
  const reader = new WireReader(message)
  let plaintext: Uint8Array = new Uint8Array()
  while (reader.next()) {
    if (reader.field === 1) plaintext = reader.bytes()
    else reader.skip()
  }
  return plaintext
}

export function encodeObject(prefix: Buffer, object: EncryptedObject): Buffer {
  const writer = new WireWriter(object.data.length + object.ciphertext.length + 256, prefix.length)
  writer.bytes(1, object.data)
  writer.string(2, object.keyID)
  writer.bytes(3, object.ciphertext)
  writeAnnotations(writer, 4, object.annotations)
  // A field with value 0 is left out, as always in protobuf.
  if (object.source !== keyIsGiven) writer.integer(5, object.source)
  const stored = writer.finish()
  stored.set(prefix)
  return stored
}

export function decodeObject(body: Buffer): EncryptedObject {
  const reader = new WireReader(body)
  const annotations = noAnnotations()
  let data: Uint8Array = new Uint8Array()
  let ciphertext: Uint8Array = new Uint8Array()
  let keyID = ''
  let source = keyIsGiven
  while (reader.next()) {
    if (reader.field === 1) data = reader.bytes()
    else if (reader.field === 2) keyID = reader.string()
    else if (reader.field === 3) ciphertext = reader.bytes()
    else if (reader.field === 4) readAnnotation(reader.message(), annotations)
    else if (reader.field === 5) source = reader.integer()
    else reader.skip()
  }
  return { data, ciphertext, keyID, annotations, source }
}

function writeAnnotations(writer: WireWriter, field: number, annotations: Annotations): void {
  for (const name of Object.keys(annotations).sort()) {
    writer.message(field, () => {
      writer.string(1, name)
      writer.bytes(2, annotations[name] ?? new Uint8Array())
    })
  }
}

/** Without a prototype: `__proto__` is a valid name. */
const noAnnotations = (): Record<string, Uint8Array> => Object.create(null) as Record<string, Uint8Array>

function readAnnotation(reader: WireReader, into: Record<string, Uint8Array>): void {
  let name = ''
  let value: Uint8Array = new Uint8Array()
  while (reader.next()) {
    if (reader.field === 1) name = reader.string()
    else if (reader.field === 2) value = reader.bytes()
    else reader.skip()
  }
  into[name] = value
}
