import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { TestAuthority } from '../../../../test/support/authorities.ts'
import { remoteHeaders } from '../authentication/index.ts'
import type { ClientTrust } from '../delegation/index.ts'
import { decideTrustData } from './decide-trust-data.ts'

const certs: Record<string, string> = {}
before(async () => {
  const minute = 1 / 1440
  const limits = {
    clients: 2,
    proxies: 2,
    others: 2,
    'just expired': -4 * minute,
    'expired here': -6 * minute,
    expired: -11 * minute,
  }
  for (const [name, to] of Object.entries(limits)) {
    certs[name] = `${(await TestAuthority.create(name, { from: -2, to })).cert}\n`
  }
})
const pem = (...names: string[]): string => names.map((each) => certs[each]).join('')
const own = (): ClientTrust => ({
  clientCa: pem('clients'),
  requestHeader: { ca: pem('proxies'), ...remoteHeaders, allowedNames: ['front'] },
})
const lists = {
  'requestheader-allowed-names': '["front"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
}
const whole = (clients: string, proxies: string, more = {}): Record<string, string> => ({
  ...{ 'client-ca-file': clients, 'requestheader-client-ca-file': proxies, ...lists, ...more },
})

type Data = Record<string, string>
type Row = [name: string, stored: () => Data, trust: () => ClientTrust, want: () => Data, problem?: string]
const rows: readonly Row[] = [
  ['nothing there', () => ({}), own, () => whole(pem('clients'), pem('proxies'))],
  [
    'the same there',
    () => whole(pem('clients'), pem('proxies')),
    own,
    () => whole(pem('clients'), pem('proxies')),
  ],
  [
    'another server, with other names',
    () => whole(pem('others'), pem('others'), { 'requestheader-allowed-names': '["a","front","b"]' }),
    own,
    () =>
      whole(pem('others', 'clients'), pem('others', 'proxies'), {
        'requestheader-allowed-names': '["a","front","b"]',
      }),
  ],
  [
    'expired certificates, one of them a moment ago',
    () => whole(pem('expired', 'just expired', 'others'), pem('expired')),
    own,
    () => whole(pem('just expired', 'others', 'clients'), pem('proxies')),
  ],
  [
    'only a client CA here',
    () => ({}),
    () => ({ clientCa: pem('clients') }),
    () => ({ 'client-ca-file': pem('clients') }),
  ],
  [
    'only a client CA here, front proxies there',
    () => whole(pem('others'), pem('proxies')),
    () => ({ clientCa: pem('clients') }),
    () => whole(pem('others', 'clients'), pem('proxies')),
  ],
  [
    'the own CA expired more than five minutes ago',
    () => ({}),
    () => ({ clientCa: pem('clients', 'expired here', 'just expired') }),
    () => ({ 'client-ca-file': pem('clients', 'just expired') }),
  ],
  [
    'a CA that is there expired more than five minutes ago, but less than ten',
    () => ({ 'client-ca-file': pem('expired here') }),
    () => ({ clientCa: pem('expired here', 'clients') }),
    () => ({ 'client-ca-file': pem('expired here', 'clients') }),
  ],
  ['neither here nor there', () => ({ other: 'x' }), () => ({}), () => ({})],
  ['other keys go, as upstream', () => ({ other: 'x' }), own, () => whole(pem('clients'), pem('proxies'))],
  [
    'text around the certificates, and one of them twice',
    () => ({ 'client-ca-file': `# a comment\n${pem('clients', 'clients')}` }),
    own,
    () => whole(pem('clients'), pem('proxies')),
  ],
  [
    'lists that were never set, as Go writes them',
    () =>
      whole(pem('others'), pem('others'), Object.fromEntries(Object.keys(lists).map((key) => [key, 'null']))),
    own,
    () => whole(pem('others', 'clients'), pem('others', 'proxies')),
  ],
  [
    'a list that is none',
    () => whole(pem('others'), pem('others'), { 'requestheader-group-headers': '{"a":1}' }),
    own,
    () => whole(pem('clients'), pem('proxies')),
    'requestheader-group-headers: not a list of texts in JSON',
  ],
  [
    'no certificate',
    () => ({ 'client-ca-file': 'x' }),
    own,
    () => whole(pem('clients'), pem('proxies')),
    'client-ca-file: no certificate in it',
  ],
]
for (const [name, stored, trust, want, problem] of rows) {
  test(`data of the trust ConfigMap: ${name}`, () => {
    const decided = decideTrustData({ data: stored() }, trust(), Date.now())
    assert.deepEqual(decided.data, want())
    assert.equal(decided.problem, problem)
  })
}

test('data of the trust ConfigMap: two servers whose clocks are five minutes apart do not write in turn', () => {
  const minuteMs = 60_000
  // "clients" expires in two days, by the clock of one server; the other clock is late.
  const endMs = Date.now() + 2 * 24 * 60 * minuteMs
  const trust = { clientCa: pem('clients') }
  for (let minutes = -12; minutes <= 20; minutes++) {
    const nowMs = endMs + (minutes + 0.5) * minuteMs
    let data: Data = { 'client-ca-file': pem('clients') }
    const writes: number[] = []
    for (let turn = 0; turn < 6; turn++) {
      const next = decideTrustData({ data }, trust, turn % 2 === 0 ? nowMs : nowMs - 5 * minuteMs).data
      if (JSON.stringify(next) !== JSON.stringify(data)) writes.push(turn)
      data = next
    }
    assert.ok(writes.length <= 1, `${minutes} minutes after the end: written at turns ${writes}`)
  }
})
