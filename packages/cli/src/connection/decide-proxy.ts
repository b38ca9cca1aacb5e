import { BlockList, isIP } from 'node:net'
import { CliError } from '../output/errors.ts'
import { isLoopback } from './loopback.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a server, as kubectl chooses it: `proxy-url` of the kubeconfig, else HTTPS_PROXY (HTTP_PROXY for plain HTTP),
 * unless NO_PROXY names the server. The variables never apply to this machine itself; `proxy-url` always does.
 */
export function decideProxy(
  server: string,
  proxyUrl: string | undefined,
  environment: Environment,
): string | undefined {
  if (proxyUrl !== undefined) return checkedProxy(proxyUrl, 'proxy-url in the kubeconfig')
  const { protocol, hostname, port } = new URL(server)
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = variable(environment, name)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (proxy === '' || isLoopback(host)) return undefined
  const actualPort = port || (protocol === 'https:' ? '443' : '80')
  if (isExempt(host, actualPort, variable(environment, 'NO_PROXY'))) return undefined
  // As for Go, an address without a scheme is one of an HTTP proxy.
  return checkedProxy(proxy.includes('://') ? proxy : `http://${proxy}`, `$${name}`)
}

const variable = (environment: Environment, name: string): string =>
  environment[name] || environment[name.toLowerCase()] || ''

function checkedProxy(proxy: string, where: string): string {
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : ''
  if (protocol === 'http:' || protocol === 'https:') return proxy
  throw new CliError(
    protocol.startsWith('socks')
      ? `${where}: SOCKS proxies are not supported; name an HTTP proxy, or reach the cluster through "ssh -L" and tls-server-name`
      : `${where}: ${JSON.stringify(proxy)} is not the address of a proxy; write http://host:port`,
  )
}

/** An entry is `*`, an address, a network, or a domain with everything below it; each may have a port. */
function isExempt(host: string, port: string, noProxy: string): boolean {
  return noProxy
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .some((entry) => entry !== '' && (entry === '*' || isNamed(host.toLowerCase(), port, entry)))
}

function isNamed(host: string, port: string, entry: string): boolean {
  if (entry.includes('/')) return isInNetwork(host, entry)
  const [, bare = '', wanted] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry) ?? []
  const name = isIP(entry) === 6 ? entry : bare
  if (isIP(entry) !== 6 && wanted !== undefined && wanted !== port) return false
  if (isIP(host) !== 0) return host === name
  const domain = name.replace(/^\*\./, '.')
  // With a dot in front, only what is below the domain.
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', prefix = ''] = network.split('/')
  const family = isIP(address)
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(prefix)) return false
  const most = family === 4 ? 32 : 128
  if (Number(prefix) > most) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(prefix), type)
  return list.check(host, type)
}
