import type { Client } from '@strata/client'

/** A client that asks for discovery once, for all resources of one command. */
export function shareDiscovery(client: Client): Client {
  const listed = new Map<string, ReturnType<Client['apiResources']>>()
  const groups = new Map<string, ReturnType<Client['discoverGroup']>>()
  let discovered: ReturnType<Client['discover']> | undefined
  return {
    ...client,
    discover: (signal) => {
      discovered ??= client.discover(signal)
      return discovered
    },
    discoverGroup: (group, signal) => {
      const asked = groups.get(group) ?? client.discoverGroup(group, signal)
      groups.set(group, asked)
      return asked
    },
    apiResources: (groupVersion, signal) => {
      const key = `${groupVersion.group}/${groupVersion.versionName}`
      const asked = listed.get(key) ?? client.apiResources(groupVersion, signal)
      listed.set(key, asked)
      return asked
    },
  }
}
