import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { countLines, json, type LoadAnswer, type LoadClient, type LoadTarget } from './load-client.ts'

/** Few enough for servers that allow the hundred which the standard recommends. */
const streamsPerSession = 100
const windowBytes = 4 << 20

/** All requests on one connection, as clients written in Go send them; watches on connections of their own. */
export function createHttp2Client(target: LoadTarget): LoadClient {
  const sessions: ClientHttp2Session[] = []
  const open = (): ClientHttp2Session => {
    const session = connect(target.url, {
      settings: { initialWindowSize: windowBytes, enablePush: false },
      ...(target.ca === undefined ? { rejectUnauthorized: false } : { ca: target.ca }),
    })
    session.on('connect', () => session.setLocalWindowSize(4 * windowBytes))
    // Streams tell of it as well, and those who wait for them.
    session.on('error', () => {})
    sessions.push(session)
    return session
  }
  const send = (session: ClientHttp2Session, method: string, path: string, body?: Buffer, accept = json) => {
    const stream = session.request(
      {
        ':method': method,
        ':path': path,
        authorization: `Bearer ${target.token}`,
        accept,
        ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
      },
      { endStream: body === undefined },
    )
    if (body) stream.end(body)
    return stream
  }
  let main: ClientHttp2Session | undefined
  let watching: ClientHttp2Session | undefined
  let watches = 0
  return {
    request: (method, path, body, accept) => {
      main ??= open()
      return readAnswer(send(main, method, path, body, accept))
    },
    watch: (path, onLines) => {
      if (!watching || watches++ % streamsPerSession === 0) watching = open()
      const stream = send(watching, 'GET', path)
      stream.on('data', (part: Buffer) => onLines(countLines(part)))
      return new Promise((resolve, reject) => {
        stream.on('error', reject)
        stream.once('response', ({ ':status': status }) => {
          if (status === 200) resolve()
          else reject(new Error(`${path}: ${status}`))
        })
      })
    },
    close: () => {
      for (const session of sessions) session.destroy()
    },
  }
}

const nothing = Buffer.alloc(0)

function readAnswer(stream: ClientHttp2Stream): Promise<LoadAnswer> {
  return new Promise((resolve, reject) => {
    let status = 0
    let beginning: Buffer | undefined
    stream.once('response', (headers) => {
      status = headers[':status'] ?? 0
    })
    stream.on('data', (part: Buffer) => {
      beginning ??= part
    })
    stream.on('error', reject)
    stream.on('end', () => resolve({ status, beginning: beginning ?? nothing }))
  })
}
