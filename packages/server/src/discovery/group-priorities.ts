/** As in APIServices: groups and their versions are listed by these numbers, the highest first. */
export interface Priorities {
  readonly group: number
  readonly version: number
}

/** For custom resources, and everything that is not in the table. */
const others: Priorities = { group: 1_000, version: 100 }

/** Upstream's numbers for its groups. Groups that are not built in here are included: a CRD or an APIService may add them. */
const table: Readonly<Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>> =
  {
    // Upstream has no APIService for the group of APIServices, and lists it before all others.
    'apiregistration.k8s.io': [20_000, { v1: 18 }],
    '': [18_000, { v1: 1 }],
    apps: [17_800, { v1: 15 }],
    'events.k8s.io': [17_750, { v1: 15 }],
    'authentication.k8s.io': [17_700, { v1: 15 }],
    'authorization.k8s.io': [17_600, { v1: 15 }],
    autoscaling: [17_500, { v2: 30, v1: 15 }],
    batch: [17_400, { v1: 15 }],
    'certificates.k8s.io': [17_300, { v1: 15 }],
    'networking.k8s.io': [17_200, { v1: 15 }],
    policy: [17_100, { v1: 15 }],
    'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
    'storage.k8s.io': [16_800, { v1: 15 }],
    'admissionregistration.k8s.io': [16_700, { v1: 15 }],
    'apiextensions.k8s.io': [16_700, { v1: 15 }],
    'scheduling.k8s.io': [16_600, { v1: 15 }],
    'coordination.k8s.io': [16_500, { v1: 15 }],
    'node.k8s.io': [16_300, { v1: 15 }],
    'discovery.k8s.io': [16_200, { v1: 15 }],
    'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21 }],
    'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
    'resource.k8s.io': [15_900, { v1: 21 }],
    // v1beta1 comes first here: see the kind.
    'storagemigration.k8s.io': [15_800, { v1beta1: 9, v1: 5 }],
  }

export function prioritiesOf(group: string, versionName: string): Priorities {
  const [priority, versions] = (Object.hasOwn(table, group) && table[group]) || [others.group, {}]
  return { group: priority, version: versions[versionName] ?? others.version }
}

export function groupPriority(group: string): number {
  return prioritiesOf(group, '').group
}
