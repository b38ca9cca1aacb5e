import { connect, type TLSSocket } from 'node:tls'
import { Http1AnswerReader } from './http1-answer.ts'
import { countLines, json, type LoadAnswer, type LoadClient, type LoadTarget } from './load-client.ts'

interface Connection {
  readonly socket: TLSSocket
  onAnswer: (answer: LoadAnswer) => void
  onProblem: (error: Error) => void
  /** Given on watches only. */
  onLines: ((count: number) => void) | undefined
}

/** One request at a time on each connection; a connection more whenever all are busy. */
export function createHttp1Client(target: LoadTarget): LoadClient {
  const { hostname, host, port } = new URL(target.url)
  const all = new Set<Connection>()
  const idle: Connection[] = []
  const common = `Host: ${host}\r\nAuthorization: Bearer ${target.token}\r\n`

  const open = (): Promise<Connection> =>
    new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port || 443),
        ALPNProtocols: ['http/1.1'],
        ...(target.ca === undefined ? { rejectUnauthorized: false } : { ca: target.ca }),
      })
      socket.setNoDelay(true)
      const connection: Connection = { socket, onAnswer: () => {}, onProblem: reject, onLines: undefined }
      all.add(connection)
      socket.once('secureConnect', () => resolve(connection))
      socket.on('error', (error) => connection.onProblem(error))
      socket.on('close', () => {
        all.delete(connection)
        // Servers close what has been idle for a while, as it is here while the others have their turn.
        if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1)
        connection.onProblem(new Error(`${target.url} closed the connection`))
      })
      readAnswers(connection)
    })

  return {
    request: async (method, path, body, accept = json) => {
      const connection = idle.pop() ?? (await open())
      const answer = await new Promise<LoadAnswer>((resolve, reject) => {
        connection.onAnswer = resolve
        connection.onProblem = reject
        const head = `${method} ${path} HTTP/1.1\r\n${common}Accept: ${accept}\r\n`
        if (body === undefined) connection.socket.write(`${head}\r\n`, 'latin1')
        else {
          const described = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
          connection.socket.write(Buffer.concat([Buffer.from(described, 'latin1'), body]))
        }
      })
      idle.push(connection)
      return answer
    },
    watch: async (path, onLines) => {
      const connection = await open()
      connection.onLines = onLines
      await new Promise<void>((resolve, reject) => {
        connection.onProblem = reject
        connection.onAnswer = ({ status, beginning }) =>
          status === 200 ? resolve() : reject(new Error(`${path}: ${status} ${beginning}`))
        connection.socket.write(`GET ${path} HTTP/1.1\r\n${common}Accept: ${json}\r\n\r\n`, 'latin1')
      })
    },
    close: () => {
      for (const connection of all) {
        connection.onProblem = () => {}
        connection.socket.destroy()
      }
    },
  }
}

const nothing = Buffer.alloc(0)

function readAnswers(connection: Connection): void {
  let status = 0
  let beginning: Buffer | undefined
  const tell = (): void => connection.onAnswer({ status, beginning: beginning ?? nothing })
  const reader = new Http1AnswerReader({
    onHead: (code) => {
      status = code
      beginning = undefined
      // A watch has answered when it has begun.
      if (connection.onLines && status === 200) tell()
    },
    onBody: (part) => {
      beginning ??= part
      if (status === 200) connection.onLines?.(countLines(part))
    },
    onEnd: tell,
  })
  connection.socket.on('data', (part: Buffer) => reader.push(part))
}
