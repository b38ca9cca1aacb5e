import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Checked,
  countSilent,
  decideAvailable,
  decideCheckDelayMs,
  isSilent,
} from './decide-available.ts'

const service = { namespace: 'shop', name: 'api', port: 8443 }
const url = 'https://10.0.0.7:9443/apis/shop.example.dev/v1'
const rows: ReadonlyArray<
  [checked: Checked, want: readonly [status: string, reason: string, message: string]]
> = [
  [{ found: 'no service' }, ['False', 'ServiceNotFound', 'service/api in "shop" is not present']],
  [
    { found: 'no port' },
    ['False', 'ServicePortError', 'service/api in "shop" is not listening on port 8443'],
  ],
  [
    { found: 'no lookup', why: 'no such host' },
    ['Unknown', 'ServiceAccessError', 'service/api in "shop" cannot be checked due to: no such host'],
  ],
  [{ found: 'status', url, status: 200 }, ['True', 'Passed', 'all checks passed']],
  [{ found: 'status', url, status: 299 }, ['True', 'Passed', 'all checks passed']],
  [
    { found: 'status', url, status: 302 },
    ['False', 'FailedDiscoveryCheck', `failing or missing response from ${url}: bad status from ${url}: 302`],
  ],
  [
    { found: 'status', url, status: 403 },
    ['False', 'FailedDiscoveryCheck', `failing or missing response from ${url}: bad status from ${url}: 403`],
  ],
  [
    { found: 'no answer', url, why: 'dial tcp 10.0.0.7:9443: connect: connection refused' },
    [
      'False',
      'FailedDiscoveryCheck',
      `failing or missing response from ${url}: Get "${url}": dial tcp 10.0.0.7:9443: connect: connection refused`,
    ],
  ],
]
for (const [checked, [status, reason, message]] of rows) {
  test(`availability of a backend: ${Object.values(checked).join(' ')}`, () => {
    assert.deepEqual(decideAvailable(service, checked), { status, reason, message })
  })
}

test('availability of a backend: the next check', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 5, 6, 1_000].map(decideCheckDelayMs),
    [30_000, 1_000, 2_000, 4_000, 16_000, 30_000, 30_000],
  )
})

const no: Checked = { found: 'no answer', url, why: 'i/o timeout' }
const busy: Checked = { found: 'status', url, status: 503 }
const silences: ReadonlyArray<[checks: readonly Checked[], want: boolean]> = [
  [[no], false],
  [[no, no], true],
  [[no, no, no], true],
  [[no, busy, no], false],
  [[busy, busy, busy], false],
  [[no, { found: 'no service' }, no], false],
  [[no, { found: 'no lookup', why: 'no such host' }, no], false],
  [[no, no, { found: 'status', url, status: 200 }], false],
]
for (const [checks, want] of silences) {
  const name = checks.map(({ found }) => found).join(', ')
  test(`silence of a backend: ${name}`, () => assert.equal(isSilent(checks.reduce(countSilent, 0)), want))
}
