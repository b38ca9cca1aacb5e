import { createHttp1Client } from './http1-client.ts'
import { createHttp2Client } from './http2-client.ts'
import type { HttpVersion, LoadClient, LoadTarget } from './load-client.ts'

export function createLoadClient(target: LoadTarget, http: HttpVersion): LoadClient {
  return http === '2' ? createHttp2Client(target) : createHttp1Client(target)
}
