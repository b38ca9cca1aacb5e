import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideEndpointTrust } from './decide-endpoint-trust.ts'
import { decideEndpoints, type EndpointSliceFields } from './decide-endpoints.ts'

const https = [{ name: 'https', port: 6443 }]
const slice = (...addresses: string[]): EndpointSliceFields => ({ endpoints: [{ addresses }], ports: https })

const slices: ReadonlyArray<[name: string, slices: readonly EndpointSliceFields[], want: readonly string[]]> =
  [
    ['no slice', [], []],
    ['two servers', [slice('10.0.0.2', '10.0.0.1')], ['https://10.0.0.1:6443', 'https://10.0.0.2:6443']],
    ['one server in two slices', [slice('10.0.0.1'), slice('10.0.0.1')], ['https://10.0.0.1:6443']],
    ['IPv6', [slice('fd00::1')], ['https://[fd00::1]:6443']],
    ['a name is no address of one server', [slice('api.example.dev')], []],
    [
      'one that is not ready',
      [{ endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }], ports: https }],
      [],
    ],
    ['a slice that Go wrote empty', [{ endpoints: null, ports: null }], []],
    [
      'a port without a name',
      [{ ...slice('10.0.0.1'), ports: [{ name: null, port: 443 }] }],
      ['https://10.0.0.1:443'],
    ],
  ]
for (const [name, seen, want] of slices) {
  test(`API servers in EndpointSlices: ${name}`, () => assert.deepEqual(decideEndpoints(seen), want))
}

const access = { server: 'https://api.example.dev:6443', ca: 'PEM' }
const exec = { command: 'login', args: [], env: {}, apiVersion: 'v1' }
const trusts: ReadonlyArray<
  [name: string, access: Parameters<typeof decideEndpointTrust>[0], canAsk: boolean, want: string | RegExp]
> = [
  ['the name in the kubeconfig', access, false, 'api.example.dev'],
  ['its tls-server-name', { ...access, serverName: 'inside' }, false, 'inside'],
  [
    'an address is that of one server',
    { ...access, server: 'https://10.0.0.1:6443' },
    false,
    'kubernetes.default.svc',
  ],
  ['IPv6 too', { ...access, server: 'https://[::1]:6443' }, false, 'kubernetes.default.svc'],
  ['a tunnel', { ...access, server: 'https://localhost:6443' }, false, 'kubernetes.default.svc'],
  ['no TLS', { ...access, server: 'http://localhost:8001' }, false, /without TLS/],
  ['no authority', { server: access.server }, false, /no certificate authority/],
  ['not verified', { server: access.server, isUnverified: true }, false, /does not verify/],
  ['a plugin that would ask', { ...access, exec }, true, /would ask the user/],
  ['a plugin, and no terminal', { ...access, exec }, false, 'api.example.dev'],
  [
    'a plugin that never asks',
    { ...access, exec: { ...exec, interactiveMode: 'Never' } },
    true,
    'api.example.dev',
  ],
]
for (const [name, given, canAsk, want] of trusts) {
  test(`an endpoint is known by ${name}`, () => {
    const trust = decideEndpointTrust(given, { canAsk })
    if (typeof want === 'string') assert.deepEqual(trust, { kind: 'trusted', serverName: want })
    else assert.match(trust.kind === 'not asked' ? trust.because : '', want)
  })
}
