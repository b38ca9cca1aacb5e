import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideProxy } from './decide-proxy.ts'

const proxy = 'http://proxy:3128'
const https = { HTTPS_PROXY: proxy }
const but = (NO_PROXY: string): Readonly<Record<string, string>> => ({ ...https, NO_PROXY })

const cases: readonly [
  name: string,
  server: string,
  proxyUrl: string | undefined,
  environment: Readonly<Record<string, string>>,
  want: string | undefined,
][] = [
  ['no proxy', 'https://a.example', undefined, {}, undefined],
  ['HTTPS_PROXY', 'https://a.example', undefined, https, proxy],
  ['in small letters', 'https://a.example', undefined, { https_proxy: proxy }, proxy],
  ['HTTP_PROXY is for plain HTTP', 'https://a.example', undefined, { HTTP_PROXY: proxy }, undefined],
  ['plain HTTP', 'http://a.example', undefined, { HTTP_PROXY: proxy }, proxy],
  ['without a scheme', 'https://a.example', undefined, { HTTPS_PROXY: 'proxy:3128' }, proxy],
  ['proxy-url comes first', 'https://a.example', 'http://other:1', but('*'), 'http://other:1'],
  ['not for this machine', 'https://127.0.0.1:6443', undefined, https, undefined],
  ['nor by name', 'https://localhost:6443', undefined, https, undefined],
  ['nor by IPv6', 'https://[::1]:6443', undefined, https, undefined],
  ['proxy-url also for this machine', 'https://127.0.0.1:6443', proxy, {}, proxy],
  ['NO_PROXY: everything', 'https://a.example', undefined, but('*'), undefined],
  ['NO_PROXY: the host', 'https://a.example', undefined, but('b.example, a.example'), undefined],
  ['NO_PROXY: what is below a domain', 'https://a.b.example', undefined, but('b.example'), undefined],
  [
    'NO_PROXY: a dot in front leaves the domain itself out',
    'https://b.example',
    undefined,
    but('.b.example'),
    proxy,
  ],
  ['NO_PROXY: a star for what is below', 'https://a.b.example', undefined, but('*.b.example'), undefined],
  ['NO_PROXY: not what ends alike', 'https://ab.example', undefined, but('b.example'), proxy],
  ['NO_PROXY: an address', 'https://10.0.0.1', undefined, but('10.0.0.1'), undefined],
  ['NO_PROXY: a network', 'https://10.1.2.3', undefined, but('10.0.0.0/8'), undefined],
  ['NO_PROXY: another network', 'https://11.1.2.3', undefined, but('10.0.0.0/8'), proxy],
  ['NO_PROXY: a network of IPv6', 'https://[fd00::1]', undefined, but('fd00::/8'), undefined],
  ['NO_PROXY: an address of IPv6', 'https://[fd00::1]', undefined, but('fd00::1'), undefined],
  ['NO_PROXY: with the port', 'https://a.example:6443', undefined, but('a.example:6443'), undefined],
  ['NO_PROXY: with another port', 'https://a.example:6443', undefined, but('a.example:443'), proxy],
  ['NO_PROXY: the usual port', 'https://a.example', undefined, but('a.example:443'), undefined],
  ['NO_PROXY: no network', 'https://10.1.2.3', undefined, but('10.0.0.0/99,10/x'), proxy],
]
for (const [name, server, proxyUrl, environment, want] of cases) {
  test(`proxy: ${name}`, () => assert.equal(decideProxy(server, proxyUrl, environment), want))
}

const mistakes: readonly [name: string, proxyUrl: string | undefined, message: RegExp][] = [
  [
    'SOCKS',
    'socks5://h:1',
    /^proxy-url in the kubeconfig: SOCKS proxies are not supported; name an HTTP proxy/,
  ],
  [
    'no address',
    'h',
    /^proxy-url in the kubeconfig: "h" is not the address of a proxy; write http:\/\/host:port$/,
  ],
  ['SOCKS in the environment', undefined, /^\$HTTPS_PROXY: SOCKS/],
]
for (const [name, proxyUrl, message] of mistakes) {
  test(`proxy: ${name} is refused`, () => {
    const environment = { HTTPS_PROXY: 'socks5h://h:1' }
    assert.throws(() => decideProxy('https://a.example', proxyUrl, environment), {
      name: 'CliError',
      message,
    })
  })
}
