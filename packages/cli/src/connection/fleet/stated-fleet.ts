import type { KubeconfigEntry } from '../merge-kubeconfigs.ts'

/** The name of the extension by which a kubeconfig says that several of its clusters are the servers of one fleet. */
const fleetExtension = 'strata.dev/fleet'

/** The fleet that a cluster of a kubeconfig is said to belong to. `strata up` writes it. */
export function statedFleet(cluster: KubeconfigEntry['fields']): string | undefined {
  const { extensions } = cluster
  if (!Array.isArray(extensions)) return undefined
  const found = extensions.find((each) => each?.name === fleetExtension)?.extension?.id
  return typeof found === 'string' && found !== '' ? found : undefined
}
