import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { before, test } from 'node:test'
import { type Issued, TestAuthority } from '../../../../test/support/authorities.ts'
import { decideAnchor, type PeerAnchor } from './decide-anchor.ts'

const serverUse = '1.3.6.1.5.5.7.3.1'
const authorities: Record<string, TestAuthority> = {}
const authority = (name: string): TestAuthority => {
  const found = authorities[name]
  assert.ok(found, name)
  return found
}

before(async () => {
  for (const name of ['clients', 'proxies', 'foreign']) authorities[name] = await TestAuthority.create(name)
  const clients = authority('clients')
  authorities['twin'] = await TestAuthority.create('clients')
  authorities['renewed'] = await TestAuthority.create('clients', { like: clients })
  authorities['middle'] = await clients.below('middle')
  authorities['no authority'] = await clients.below('no authority', false)
  authorities['for servers'] = await clients.below('for servers', true, [serverUse])
})

const of = (name: string, ...options: Parameters<TestAuthority['issue']> | []): Promise<Issued> => {
  const [common = 'ann', more] = options
  return authority(name).issue(common, more)
}

type Row = readonly [
  name: string,
  leaf: (() => Promise<Issued>) | string,
  sent: readonly string[],
  want: PeerAnchor,
  anchors?: { readonly clients?: readonly string[]; readonly proxies?: readonly string[] },
]
const rows: readonly Row[] = [
  ['of the client CA', () => of('clients'), [], 'client'],
  ['of the request-header CA', () => of('proxies'), [], 'request-header'],
  ['of a foreign CA', () => of('foreign'), [], 'none'],
  ['of a foreign CA with the name of the client CA', () => of('twin'), [], 'none'],
  ['of the client CA, named like a front proxy', () => of('clients', 'front-proxy-client'), [], 'client'],
  ['of a CA that is both', () => of('clients'), [], 'both', { proxies: ['proxies', 'clients'] }],
  ['through an intermediate of the client CA', () => of('middle'), ['middle'], 'client'],
  ['through an intermediate that was not sent', () => of('middle'), [], 'none'],
  ['through a certificate that is no CA', () => of('no authority'), ['no authority'], 'none'],
  ['through an intermediate for servers only', () => of('for servers'), ['for servers'], 'none'],
  [
    'through a request-header CA below the client CA',
    () => of('middle'),
    ['middle'],
    'both',
    { proxies: ['middle'] },
  ],
  [
    'of the client CA, with a request-header CA below it',
    () => of('clients'),
    [],
    'client',
    { proxies: ['middle'] },
  ],
  ['the certificate of the client CA itself', 'clients', [], 'client'],
  [
    'of the client CA, whose certificate was renewed',
    () => of('clients'),
    [],
    'client',
    { clients: ['renewed'] },
  ],
  ['that has expired', () => of('clients', 'ann', { from: -3, to: -1 }), [], 'none'],
  ['that is not valid yet', () => of('clients', 'ann', { from: 1, to: 2 }), [], 'none'],
  ['with the request-header CA sent along', () => of('clients'), ['proxies'], 'client'],
  [
    'with more certificates than are looked at',
    () => of('middle'),
    [...'12345678'].map(() => 'foreign').concat('middle'),
    'none',
  ],
]

for (const [name, leaf, sent, want, { clients = ['clients'], proxies = ['proxies'] } = {}] of rows) {
  test(`the anchor of a certificate ${name}`, async () => {
    const own = typeof leaf === 'string' ? authority(leaf) : await leaf()
    const parse = (names: readonly string[]): X509Certificate[] =>
      names.map((each) => new X509Certificate(authority(each).cert))
    const chain = [new X509Certificate(own.cert), ...parse(sent)]
    const anchors = { client: parse(clients), requestHeader: parse(proxies) }
    assert.equal(decideAnchor(chain, anchors, Date.now()), want)
  })
}

test('the anchor without a certificate', () => {
  assert.equal(decideAnchor([], { client: [], requestHeader: [] }, Date.now()), 'none')
})
