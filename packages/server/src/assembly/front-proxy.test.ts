import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remoteHeaders } from '../authentication/index.ts'
import { ConfigurationProblem } from '../configuration/index.ts'
import { decideFrontProxy, type FrontProxyFlags, type FrontProxyPlan } from './front-proxy.ts'

const any = { ...remoteHeaders, allowedNames: [] }
const ca = { requestheaderClientCaFile: 'ca.crt' }
type Row = [name: string, flags: FrontProxyFlags, want: FrontProxyPlan | string]
const rows: readonly Row[] = [
  [
    'no flag',
    {},
    { usesOwn: true, caFile: undefined, options: { ...remoteHeaders, allowedNames: ['front-proxy-client'] } },
  ],
  [
    'lists that are empty',
    { requestheaderAllowedNames: [], requestheaderUidHeaders: [] },
    { usesOwn: true, caFile: undefined, options: { ...remoteHeaders, allowedNames: ['front-proxy-client'] } },
  ],
  [
    'only a client certificate',
    { proxyClientCertFile: 'a', proxyClientKeyFile: 'b' },
    { usesOwn: false, caFile: undefined, options: any },
  ],
  ['only a CA', ca, { usesOwn: false, caFile: 'ca.crt', options: any }],
  [
    'everything',
    {
      ...ca,
      requestheaderAllowedNames: ['a', ' b'],
      requestheaderUsernameHeaders: ['U'],
      requestheaderUidHeaders: ['I'],
      requestheaderGroupHeaders: ['G'],
      requestheaderExtraHeadersPrefix: ['E-'],
    },
    {
      usesOwn: false,
      caFile: 'ca.crt',
      options: {
        ...{ allowedNames: ['a', 'b'], usernameHeaders: ['U'], uidHeaders: ['I'], groupHeaders: ['G'] },
        extraHeaderPrefixes: ['E-'],
      },
    },
  ],
  [
    'names without a CA',
    { requestheaderAllowedNames: ['a'] },
    '--requestheader-allowed-names: needs --requestheader-client-ca-file too',
  ],
  [
    'headers without a CA',
    { requestheaderUsernameHeaders: ['a'], proxyClientCertFile: 'a', proxyClientKeyFile: 'b' },
    '--requestheader-username-headers: needs --requestheader-client-ca-file too',
  ],
  [
    'an empty name',
    { ...ca, requestheaderGroupHeaders: ['a', ' '] },
    '--requestheader-group-headers: a name is empty',
  ],
]
for (const [name, flags, want] of rows) {
  test(`flags of front proxies: ${name}`, () => {
    if (typeof want !== 'string') return assert.deepEqual(decideFrontProxy(flags), want)
    assert.throws(
      () => decideFrontProxy(flags),
      (error) => error instanceof ConfigurationProblem && error.message === want,
    )
  })
}
