import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A body in protobuf, and what kube-apiserver 1.36.4 understood by it. */
export interface ProtobufCapture {
  readonly file: string
  readonly apiVersion: string
  readonly kind: string
  readonly bodyBase64: string
  /** For a request; null if upstream refused it. */
  readonly decodedJSON?: Record<string, unknown> | null
  /** For a response: the same in JSON. */
  readonly json?: Record<string, unknown>
}

export function readProtobufCaptures(folder: 'protobuf' | 'protobuf-responses'): readonly ProtobufCapture[] {
  const path = join(import.meta.dirname, 'captures', folder)
  return readdirSync(path).map((file) => ({
    file,
    ...(JSON.parse(readFileSync(join(path, file), 'utf8')) as Omit<ProtobufCapture, 'file'>),
  }))
}
