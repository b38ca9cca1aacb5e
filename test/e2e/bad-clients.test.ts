import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { isFullSize } from '../support/full-size.ts'
import { LoneServer } from '../support/lone-server.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { until } from '../support/until.ts'

const maps = '/api/v1/namespaces/default/configmaps'

/**
 * Requests that two programs may take for different ones. Each hides another request, which would create an object; the
 * server refuses, and ends the connection so that nothing behind can be taken for a request.
 */
type Head = readonly [name: string, head: string, status: number]
const ambiguous: readonly Head[] = [
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked', 400],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4', 400],
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 5', 400],
  ['a list of lengths', 'Content-Length: 4, 4', 400],
  ['a length below zero', 'Content-Length: -4', 400],
  ['a length with a sign', 'Content-Length: +4', 400],
  ['a length beyond all bits', `Content-Length: ${'9'.repeat(30)}`, 400],
  ['chunks of something', 'Transfer-Encoding: gzip, chunked', 501],
  ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', 400],
  ['chunks, almost', 'Transfer-Encoding: xchunked', 501],
  ['a space before the colon', 'Transfer-Encoding : chunked', 400],
  ['a folded header', 'X-A: b\r\n Transfer-Encoding: chunked', 400],
  ['a lone carriage return', 'X-A: b\rTransfer-Encoding: chunked', 400],
  ['a zero byte', 'X-A: b\0c', 400],
  ['two hosts', 'Content-Length: 0\r\nHost: another', 400],
  ['a chunk that is none', 'Transfer-Encoding: chunked\r\n\r\nzz', 400],
]

describe('bad clients', () => {
  let server: LoneServer
  before(async () => {
    server = await LoneServer.start('bad-clients')
  })
  after(() => server.stop())

  const open = () => RawConnection.open(server.port, server.ca)
  const credentials = () => `Host: strata\r\nAuthorization: Bearer ${server.token}\r\n`
  const create = (name: string): string => {
    const body = `{"metadata":{"name":"${name}"}}`
    return `POST ${maps} HTTP/1.1\r\n${credentials()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }

  for (const [name, head, status] of ambiguous) {
    test(`smuggling: ${name}`, async () => {
      const connection = await open()
      const smuggled = create('smuggled')
      connection.write(
        `POST ${maps} HTTP/1.1\r\n${credentials()}Content-Type: application/json\r\n${head}\r\n\r\n0\r\n\r\n${smuggled}`,
      )
      await server.staysAlive(connection.closed)
      assert.deepEqual(connection.statuses, [status], connection.received.slice(0, 300))
      const { status: found } = await server.send('HTTP/1.1', { method: 'GET', path: `${maps}/smuggled` })
      assert.equal(found, 404)
    })
  }

  test('a head beyond measure', async () => {
    const connection = await open()
    connection.write(`GET /livez HTTP/1.1\r\nHost: strata\r\nX-A: ${'a'.repeat(1_100_000)}\r\n\r\n`)
    await server.staysAlive(connection.closed)
    // Bytes that are still on their way when the connection ends may take the response with them.
    assert.deepEqual(
      connection.statuses.filter((status) => status !== 431),
      [],
    )
  })

  test('requests in a row are answered in a row', async () => {
    const connection = await open()
    connection.write(`${create('row-1')}${create('row-1')}GET /livez HTTP/1.1\r\nHost: strata\r\n\r\n`)
    await until('three answers', () => connection.statuses.length === 3)
    assert.deepEqual(connection.statuses, [201, 409, 200])
    connection.close()
  })

  test('long addresses and many parameters are taken, as upstream takes them', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `p${index}=1`).join('&')
    for (const query of [many, `labelSelector=a+in+(${'x,'.repeat(50_000)}x)`]) {
      const path = `${maps}?${query}`
      const { status, text } = await server.staysAlive(server.send('HTTP/1.1', { method: 'GET', path }))
      assert.equal(status, 200, text.slice(0, 300))
    }
  })

  test('the server does not wait for a head that arrives byte by byte', async () => {
    const connection = await open()
    connection.write('GET /livez HTTP/1.1\r\nHost: strata\r\nX-Slow: ')
    const trickle = async (): Promise<void> => {
      while (!connection.isClosed) {
        connection.write('a')
        await sleep(nodeClock, 50)
      }
    }
    await server.staysAlive(trickle())
    assert.deepEqual(
      connection.statuses.filter((status) => status !== 408),
      [],
    )
  })

  /** It takes as long as a request may, so only at full size. */
  if (isFullSize) {
    test('the server does not wait for a body that arrives byte by byte', async () => {
      const connection = await open()
      connection.write(`POST ${maps} HTTP/1.1\r\n${credentials()}Content-Length: 100000\r\n\r\n{`)
      const trickle = async (): Promise<void> => {
        while (!connection.isClosed && connection.statuses.length === 0) {
          connection.write(' ')
          await sleep(nodeClock, 200)
        }
      }
      await server.staysAlive(trickle())
      assert.ok([408, 504].includes(connection.statuses[0] ?? 408), connection.received)
      connection.close()
    })
  }

  const session = async (): Promise<ClientHttp2Session> => {
    const made = connect(`https://127.0.0.1:${server.port}`, { ca: server.ca })
    made.on('error', () => {})
    await once(made, 'connect')
    return made
  }

  test('streams that are opened and given up by the thousand', async () => {
    const rude = await session()
    const reset = async (): Promise<void> => {
      for (let round = 0; round < 100 && !rude.destroyed && !rude.closed; round++) {
        for (let index = 0; index < 50 && !rude.destroyed && !rude.closed; index++) {
          const stream = rude.request({ ':path': maps, authorization: `Bearer ${server.token}` })
          stream.on('error', () => {})
          stream.close(constants.NGHTTP2_CANCEL)
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await server.staysAlive(reset())
    rude.destroy()
    const { status } = await server.send('HTTP/2', { method: 'GET', path: maps })
    assert.equal(status, 200)
  })

  test('headers without end over HTTP/2', async () => {
    const rude = await session()
    const headers = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'a'.repeat(100)]),
    )
    const stream = rude.request({ ':path': '/livez', ...headers })
    const closed = new Promise<void>((resolve) => stream.on('close', () => resolve()))
    stream.on('error', () => {})
    let status: number | undefined
    stream.on('response', (head) => {
      status = head[':status']
      stream.close()
    })
    await server.staysAlive(closed)
    assert.notEqual(status, 200)
    rude.destroy()
  })

  test('two thousand watches that wait', async () => {
    const perSession = 225
    const sessions = await Promise.all(Array.from({ length: 8 }, session))
    const sockets = await Promise.all(Array.from({ length: 200 }, open))
    let seen = 0
    const headers = {
      ':path': `${maps}?watch=true&resourceVersion=0`,
      authorization: `Bearer ${server.token}`,
    }
    const streams = sessions.flatMap((each) =>
      Array.from({ length: perSession }, () => {
        const stream = each.request(headers)
        let text = ''
        stream.setEncoding('utf8').on('data', (piece: string) => {
          if (text.includes('"name":"news"')) return
          text += piece
          if (text.includes('"name":"news"')) seen++
        })
        stream.on('error', () => {})
        return stream
      }),
    )
    for (const socket of sockets) {
      socket.write(`GET ${maps}?watch=true&resourceVersion=0 HTTP/1.1\r\n${credentials()}\r\n`)
    }
    const began = Promise.all([
      ...streams.map((stream) => once(stream, 'response')),
      ...sockets.map((socket) =>
        until('a watch begins', () => socket.statuses.length === 1, { giveUpMs: 60_000 }),
      ),
    ])
    await server.staysAlive(began)
    assert.deepEqual(
      sockets.map((socket) => socket.statuses[0]).filter((status) => status !== 200),
      [],
    )
    const body = '{"metadata":{"name":"news"}}'
    const made = await server.send('HTTP/1.1', {
      method: 'POST',
      path: maps,
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(made.status, 201)
    const notified = (): boolean =>
      seen === streams.length && sockets.every((socket) => socket.received.includes('"name":"news"'))
    await server.staysAlive(until('every watch is notified', notified, { giveUpMs: 60_000 }))
    for (const each of sessions) each.destroy()
    for (const socket of sockets) socket.close()
  })

  test('nothing of it has ended the server, or reached its bugs', () => {
    assert.equal(server.process.running, true)
    assert.doesNotMatch(server.process.output, /unexpected error|request filter failed/)
  })
})
