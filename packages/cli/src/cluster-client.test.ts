import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atServer } from './cluster-client.ts'

const access = { server: 'https://a', token: 't', serverName: 'inside.example' }
const rows: readonly [name: string, server: string, want: object][] = [
  ['the server of the context is known by the name that the context gives', 'https://a', access],
  ['another one by its own address', 'https://b', { server: 'https://b', token: 't' }],
]
for (const [name, server, want] of rows) {
  test(`--server: ${name}`, () => assert.deepEqual(atServer(access, server), want))
}
