import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransportError } from '@strata/world'
import { type Answering, json, TestAggregator } from './aggregator-for-test.ts'
import { createRemoteNamespaces } from './remote-namespaces.ts'

const never = new AbortController().signal
const status = (code: number, reason: string) =>
  json(code, { kind: 'Status', apiVersion: 'v1', code, reason, message: `it is ${reason}` })
const rows: ReadonlyArray<[name: string, answer: Answering, want: string, isKept: boolean]> = [
  ['active', () => json(200, { metadata: {}, status: { phase: 'Active' } }), 'active', true],
  ['without a status', () => json(200, { metadata: {} }), 'active', true],
  ['terminating', () => json(200, { metadata: {}, status: { phase: 'Terminating' } }), 'terminating', false],
  [
    'being deleted',
    () => json(200, { metadata: { deletionTimestamp: 'x' }, status: { phase: 'Active' } }),
    'terminating',
    false,
  ],
  ['absent', () => status(404, 'NotFound'), 'absent', false],
  [
    'not served',
    () => ({ status: 404, headers: {}, body: Buffer.from('404 page not found') }),
    '500 Internal error occurred: the server could not find the requested resource',
    false,
  ],
  ['not allowed', () => status(403, 'Forbidden'), '500 Internal error occurred: it is Forbidden', false],
  [
    'away',
    () => Promise.reject(new TransportError('refused', 'no')),
    '500 Internal error occurred: Get "https://agg:6443/api/v1/namespaces/a": refused',
    false,
  ],
]
for (const [name, answer, want, isKept] of rows) {
  test(`a namespace of the aggregator: ${name}`, async () => {
    const remote = new TestAggregator('namespaces', answer)
    const stateOf = createRemoteNamespaces(remote.aggregator, remote.world)
    const seen = async (): Promise<string> => {
      try {
        return await remote.settle(stateOf('a', never))
      } catch (error) {
        const { code, message } = error as { code?: number; message: string }
        return `${code} ${message}`
      }
    }
    assert.equal(await seen(), want)
    await remote.sleep(4_900)
    assert.equal(await seen(), want)
    assert.equal(remote.sent.length, isKept ? 1 : 2)
    await remote.sleep(5_100)
    await seen()
    assert.equal(remote.sent.length, isKept ? 2 : 3)
  })
}
