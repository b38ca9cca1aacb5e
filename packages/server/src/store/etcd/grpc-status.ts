import type { IncomingHttpHeaders } from 'node:http2'
import { GRPC, RpcError } from './classify-error.ts'

/** The failure in headers or trailers, if any. `peer` names the sender in the message. */
export function errorOf(headers: IncomingHttpHeaders, peer: string): RpcError | undefined {
  const status = headers['grpc-status']
  if (status !== undefined) {
    const code = Number(status)
    if (code === GRPC.ok) return undefined
    const text = decodeMessage(String(headers['grpc-message'] ?? ''))
    return new RpcError(code, text || `${peer} answered with gRPC status ${status}`, true)
  }
  const http = headers[':status']
  if (http === undefined || Number(http) === 200) return undefined
  return new RpcError(GRPC.unknown, `${peer} answered with HTTP status ${http}`, true)
}

/** gRPC percent-encodes the text of an error; not every implementation does. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
