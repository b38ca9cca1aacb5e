import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenForMetrics, parseListenAddress } from './metrics-listener.ts'

test('metrics address: host and port, and no port for everybody by mistake', () => {
  assert.deepEqual(parseListenAddress('127.0.0.1:2112'), { host: '127.0.0.1', port: 2112 })
  assert.deepEqual(parseListenAddress('[::1]:0'), { host: '::1', port: 0 })
  for (const text of ['', ':2112', '2112', 'host', 'host:', 'host:70000', '::1:2112']) {
    assert.throws(() => parseListenAddress(text), /give a host and a port/, text)
  }
})

test('metrics address: /metrics is answered, and nothing else', async () => {
  const listener = await listenForMetrics({ host: '127.0.0.1', port: 0 }, () => 'a 1\n')
  try {
    const answer = await fetch(listener.url)
    assert.deepEqual([answer.status, await answer.text()], [200, 'a 1\n'])
    assert.equal((await fetch(new URL('/', listener.url))).status, 404)
    const { port } = new URL(listener.url)
    const again = listenForMetrics({ host: '127.0.0.1', port: Number(port) }, () => '')
    await assert.rejects(
      again,
      /--metrics-address 127.0.0.1:\d+: cannot listen there \(EADDRINUSE\); choose another address/,
    )
  } finally {
    listener.close()
  }
})
