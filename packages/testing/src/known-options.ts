import type { ClusterOptions } from './cluster.ts'

/** Every option: the type makes this list complete. */
const known: Readonly<Record<keyof ClusterOptions, true>> = {
  ...{ crds: true, resources: true, conversions: true, listen: true, controllers: true },
  ...{ kubernetesVersion: true, release: true, time: true, log: true },
}

/** Tests in JavaScript have no compiler that would see a mistyped name: the cluster would start without what it asks for. */
export function refuseUnknownOptions(options: object): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name))
  if (unknown.length > 0)
    throw new TypeError(
      `startCluster has no option ${unknown.join(', ')}; it has ${Object.keys(known).join(', ')}`,
    )
}
