import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headProblem } from './refuse-head.ts'

const cases: ReadonlyArray<[name: string, headers: readonly string[], status: number | undefined]> = [
  ['one host', ['Host', 'a.example:6443', 'Accept', '*/*'], undefined],
  ['an address', ['HOST', '[::1]:6443'], undefined],
  ['no host at all is the business of the parser', ['Accept', '*/*'], undefined],
  ['two hosts', ['Host', 'a', 'host', 'b'], 400],
  ['the same host twice', ['Host', 'a', 'Host', 'a'], 400],
  ['a host with a path', ['Host', 'a/b'], 400],
  ['a host with a space', ['Host', 'a b'], 400],
  ['one credential', ['Host', 'a', 'Authorization', 'Bearer x'], undefined],
  ['two credentials', ['Host', 'a', 'Authorization', 'Bearer x', 'authorization', 'Bearer y'], 400],
  ['chunks', ['Host', 'a', 'Transfer-Encoding', 'chunked'], undefined],
  ['chunks of something else', ['Host', 'a', 'Transfer-Encoding', 'gzip, chunked'], 501],
  ['an encoding that is none', ['Host', 'a', 'transfer-encoding', 'identity'], 501],
]
for (const [name, headers, status] of cases) {
  test(`head of a request: ${name}`, () => assert.equal(headProblem(headers)?.status, status))
}
