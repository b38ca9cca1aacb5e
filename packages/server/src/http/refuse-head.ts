/** A problem in the head of an HTTP/1.1 request that the parser accepts. The text is that of Go's server. */
export interface HeadProblem {
  readonly status: 400 | 501
  readonly text: string
}

/** The characters that Go accepts in a Host header. */
const host = /^[A-Za-z0-9!$%&'()*+,\-.:;=@[\]_~]*$/

/**
 * Finds two hosts, a malformed host, two credentials, or an unknown transfer encoding. A proxy in front may have read such a
 * request in another way, and then checked another request than the one that arrives here.
 */
export function headProblem(rawHeaders: readonly string[]): HeadProblem | undefined {
  let hosts = 0
  let credentials = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // By length first: this runs for every header of every request.
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
