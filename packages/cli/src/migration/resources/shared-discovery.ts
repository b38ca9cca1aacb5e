import type { Client } from '@strata/client'

/** What a server says in discovery, asked for once for as many resources as are looked at in one go. */
export function shareDiscovery(client: Client): Client {
  const listed = new Map<string, ReturnType<Client['apiResources']>>()
  let discovered: ReturnType<Client['discover']> | undefined
  return {
    ...client,
    discover: (signal) => {
      discovered ??= client.discover(signal)
      return discovered
    },
    apiResources: (groupVersion, signal) => {
      const key = `${groupVersion.group}/${groupVersion.versionName}`
      const asked = listed.get(key) ?? client.apiResources(groupVersion, signal)
      listed.set(key, asked)
      return asked
    },
  }
}
