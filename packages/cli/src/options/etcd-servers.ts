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
  // A path would be ignored, so it is rejected.
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
}
