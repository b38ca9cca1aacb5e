import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { TestAuthority } from '../../../../test/support/authorities.ts'
import { remoteHeaders } from '../authentication/index.ts'
import type { ClientTrust } from '../delegation/index.ts'
import { decideTrustData } from './decide-trust-data.ts'

const certs: Record<string, string> = {}
before(async () => {
  const minute = 1 / 1440
  const limits = { clients: 2, proxies: 2, others: 2, 'just expired': -4 * minute, expired: -6 * minute }
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
