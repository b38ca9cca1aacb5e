const byStatus: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

/** Responses whose text is quoted. */
const quoted = new Set([403, 406, 415])
const maxQuotedBytes = 2048

/** The error of an unsuccessful response, in the words of upstream's client. */
export function responseProblem(status: number, contentType: string, body: Uint8Array): string | undefined {
  if (status >= 200 && status <= 206) return undefined
  const known = byStatus[status]
  if (known !== undefined) return known
  const isText = contentType === '' || contentType.startsWith('text/')
  const text = Buffer.from(body.subarray(0, maxQuotedBytes)).toString('utf8').trim()
  const said = isText ? text : 'unknown'
  if (quoted.has(status)) return said === '' ? 'unknown' : said
  return status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`
}
