import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverId } from './server-id.ts'

// Values of behaviour.md, section 1.7: without an instance the id is upstream's.
const known: ReadonlyArray<[hostname: string, id: string]> = [
  ['kube-apiserver-1', 'apiserver-j3agt6uezsya7e3uhyouvf6bpa'],
  ['test-control-plane', 'apiserver-mhpdv4nvr63tysjgwwxs5rrdle'],
  ['localhost', 'apiserver-l2yubf4cvcl5c7a3wrubrwqdve'],
]
for (const [hostname, id] of known) {
  test(`server id: ${hostname} alone has upstream's id`, () => assert.equal(serverId(hostname, ''), id))
}

test('server id P13: two instances on one host differ, the same one does not', () => {
  assert.notEqual(serverId('localhost', '6443'), serverId('localhost', '6444'))
  assert.equal(serverId('localhost', '6443'), serverId('localhost', '6443'))
})
