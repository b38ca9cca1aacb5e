/** What is wrong with the head of an HTTP/1.1 request that the parser lets pass, in the words of Go's server. */
export interface HeadProblem {
  readonly status: 400 | 501
  readonly text: string
}

/** What may stand in a Host header; Go is as generous. */
const host = /^[A-Za-z0-9!$%&'()*+,\-.:;=@[\]_~]*$/

/**
 * Two hosts, two credentials, or a body in an encoding that we do not know: a proxy before us may have taken the request
 * for another one than we do, and what it lets pass then is not what we are asked. Nothing is read into it.
 */
export function headProblem(rawHeaders: readonly string[]): HeadProblem | undefined {
  let hosts = 0
  let credentials = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // By length first: this is asked of every header of every request.
    if (name.length === 4 && name.toLowerCase() === 'host') {
      if (++hosts > 1) return { status: 400, text: '400 Bad Request: too many Host headers' }
      if (!host.test(rawHeaders[index + 1] ?? '')) {
        return { status: 400, text: '400 Bad Request: malformed Host header' }
      }
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      if (++credentials > 1) return { status: 400, text: '400 Bad Request: too many Authorization headers' }
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if ((rawHeaders[index + 1] ?? '').toLowerCase() !== 'chunked') {
        return { status: 501, text: 'Unsupported transfer encoding' }
      }
    }
  }
  return undefined
}
