/**
 * What the recorded clients also asked for, and this server does not have for good: what nodes run, and what only the
 * servers of such clusters need. Discovery does not name it here, so these clients would not ask; when asked all the
 * same, the answer is 404. Whatever comes to be served must be taken off.
 */
const groups = [
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'discovery.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]
const coreResources = [
  'endpoints',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'services',
]

/** Whether a path leads to one of them. */
export function isUnserved(path: string): boolean {
  const [, root, first = '', ...rest] = (path.split('?')[0] ?? '').split('/')
  if (root === 'apis') return groups.includes(first)
  const [resource = ''] = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest
  return root === 'api' && coreResources.includes(resource)
}
