import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { before, test } from 'node:test'
import { TestAuthority } from '../../../../test/support/authorities.ts'
import { canNameUsers } from './overlapping-authorities.ts'

const authorities: Record<string, TestAuthority> = {}
before(async () => {
  const clients = await TestAuthority.create('clients')
  Object.assign(authorities, {
    clients,
    proxies: await TestAuthority.create('proxies'),
    twin: await TestAuthority.create('clients'),
    renewed: await TestAuthority.create('clients', { like: clients }),
    below: await clients.below('below'),
  })
})

const rows: ReadonlyArray<[clients: string[], proxies: string[], want: boolean, name: string]> = [
  [['clients'], ['proxies'], false, 'two authorities'],
  [['clients'], ['clients'], true, 'the same one'],
  [['clients', 'proxies'], ['twin', 'proxies'], true, 'one of several'],
  [['clients'], ['renewed'], true, 'the same key with another certificate'],
  [['clients'], ['twin'], false, 'the same name with another key'],
  [['below'], ['clients'], true, 'the client CA is below the request-header CA'],
  [['clients'], ['below'], false, 'the request-header CA is below the client CA'],
  [[], ['proxies'], false, 'no client CA'],
]
for (const [clients, proxies, want, name] of rows) {
  test(`users who can act as front proxies: ${name}`, () => {
    const parse = (names: readonly string[]): X509Certificate[] =>
      names.map((each) => new X509Certificate(authorities[each]?.cert ?? ''))
    assert.equal(canNameUsers(parse(clients), parse(proxies)), want)
  })
}
