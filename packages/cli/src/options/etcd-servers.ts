import { InvalidArgumentError } from 'commander'

/** The endpoints of `--etcd-servers`, separated by commas. */
export function parseEtcdServers(text: string): string[] {
  const endpoints = text.split(',').map((each) => each.trim())
  for (const endpoint of endpoints) {
    if (!isEndpoint(endpoint)) {
      throw new InvalidArgumentError(`${JSON.stringify(endpoint)}: give http(s)://host:port.`)
    }
  }
  return endpoints
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return false
  // Something after the port would be ignored, and its author would wonder.
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
}
