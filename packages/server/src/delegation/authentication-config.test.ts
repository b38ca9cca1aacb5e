import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { TestAuthority } from '../../../../test/support/authorities.ts'
import { remoteHeaders } from '../authentication/index.ts'
import { json, TestAggregator } from './aggregator-for-test.ts'
import { type ClientTrust, decideTrust } from './authentication-config.ts'
import { followTrust } from './follow-trust.ts'

let clients = ''
let proxies = ''
before(async () => {
  clients = (await TestAuthority.create('clients')).cert
  proxies = (await TestAuthority.create('proxies')).cert
})

const lists = {
  'requestheader-allowed-names': '["front"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
}
const whole = (more = {}) => ({
  ...{ 'client-ca-file': clients, 'requestheader-client-ca-file': proxies, ...lists, ...more },
})
const read = () => ({ ca: proxies, ...remoteHeaders, allowedNames: ['front'] })
const none = () => ({})
const own = () => ({ ca: 'own', ...remoteHeaders, allowedNames: ['mine'] })
const nameless = { 'requestheader-allowed-names': '[]' }
const overlapping =
  '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users'

type Row = [name: string, flags: () => ClientTrust, data: () => Record<string, string>, want: () => object]
const rows: readonly Row[] = [
  ['the ConfigMap', none, whole, () => ({ clientCa: clients, requestHeader: read() })],
  ['nothing', none, none, () => ({ clientCa: undefined, requestHeader: undefined })],
  [
    'no request-header CA',
    none,
    () => ({ 'client-ca-file': clients, ...lists }),
    () => ({ clientCa: clients, requestHeader: undefined }),
  ],
  [
    'flags for everything',
    () => ({ clientCa: 'mine', requestHeader: own() }),
    whole,
    () => ({ clientCa: 'mine', requestHeader: own() }),
  ],
  [
    'a flag for the client CA',
    () => ({ clientCa: 'mine' }),
    whole,
    () => ({ clientCa: 'mine', requestHeader: read() }),
  ],
  [
    'flags for front proxies',
    () => ({ requestHeader: own() }),
    whole,
    () => ({ clientCa: clients, requestHeader: own() }),
  ],
  [
    'an older aggregator, without uids',
    none,
    () => whole({ 'requestheader-uid-headers': '' }),
    () => ({ clientCa: clients, requestHeader: { ...read(), uidHeaders: [] } }),
  ],
  [
    'any name, of another CA',
    none,
    () => whole(nameless),
    () => ({ clientCa: clients, requestHeader: { ...read(), allowedNames: [] } }),
  ],
  [
    'any name, of the client CA',
    none,
    () => whole({ ...nameless, 'requestheader-client-ca-file': clients }),
    () => ({ problem: overlapping }),
  ],
  [
    'a list that is none',
    none,
    () => whole({ 'requestheader-allowed-names': '"front"' }),
    () => ({ problem: 'requestheader-allowed-names: not a list of texts in JSON' }),
  ],
  [
    'no certificate',
    none,
    () => whole({ 'requestheader-client-ca-file': 'x' }),
    () => ({ problem: 'requestheader-client-ca-file: no certificate in it' }),
  ],
]
for (const [name, flags, data, want] of rows) {
  test(`settings of an aggregated server: ${name}`, () =>
    assert.deepEqual(decideTrust(flags(), { data: data() }), want()))
}

test('settings of an aggregated server: read at once and every minute, kept while they cannot be read', async () => {
  let data: Record<string, string> = whole()
  let code = 403
  const remote = new TestAggregator('trust', () => json(code, code === 200 ? { metadata: {}, data } : {}))
  const used: ClientTrust[] = []
  const stop = new AbortController()
  const { clock, random, log } = remote.world
  const following = followTrust(
    remote.aggregator,
    { clock, random, log },
    {},
    (trust) => used.push(trust),
    stop.signal,
  )
  await remote.sleep(500)
  assert.deepEqual([used.length, remote.sent.length], [0, 1])
  code = 200
  await remote.sleep(5_000)
  assert.deepEqual(used, [{ clientCa: clients, requestHeader: read() }])
  await remote.sleep(130_000)
  assert.deepEqual([used.length, remote.sent.length], [1, 4])
  data = whole({ 'requestheader-allowed-names': '["other"]' })
  await remote.sleep(70_000)
  assert.deepEqual(used[1]?.requestHeader?.allowedNames, ['other'])
  // Damaged, or away: what was read last stays.
  data = { 'client-ca-file': 'x' }
  await remote.sleep(200_000)
  code = 500
  await remote.sleep(200_000)
  assert.equal(used.length, 2)
  stop.abort(new Error('stopped'))
  await remote.settle(following)
})
