import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEtcdServers } from './etcd-servers.ts'

test('etcd servers: several, with or without spaces', () => {
  assert.deepEqual(parseEtcdServers('http://a:2379, https://[::1]:2379'), [
    'http://a:2379',
    'https://[::1]:2379',
  ])
})

for (const wrong of [
  'nonsense',
  '127.0.0.1:2379',
  'ftp://a:1',
  'http://',
  '',
  'http://a:2379,',
  'http://a:1/x',
]) {
  test(`etcd servers: ${JSON.stringify(wrong)} is rejected with the right form`, () => {
    assert.throws(() => parseEtcdServers(wrong), /give http\(s\):\/\/host:port/)
  })
}
