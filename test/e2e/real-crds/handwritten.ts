type Fields = Readonly<Record<string, unknown>>

/**
 * Where the rules of a kind are more than chance satisfies: the least that its documentation asks for. By the name of the
 * definition, or by that and a version.
 */
const instances: Readonly<Record<string, Fields>> = {
  'tcproutes.gateway.networking.k8s.io': {
    spec: { rules: [{ backendRefs: [{ name: 'database', port: 5432 }] }] },
  },
  'udproutes.gateway.networking.k8s.io': {
    spec: { rules: [{ backendRefs: [{ name: 'names', port: 53 }] }] },
  },
  'tlsroutes.gateway.networking.k8s.io': {
    spec: { hostnames: ['tls.example.com'], rules: [{ backendRefs: [{ name: 'secured', port: 443 }] }] },
  },
  'usages.apiextensions.crossplane.io': {
    spec: {
      of: { apiVersion: 'example.dev/v1', kind: 'Database', resourceRef: { name: 'used' } },
      reason: 'a client needs it',
    },
  },
}

export function handwritten(crdName: string, versionName: string): Fields | undefined {
  return instances[`${crdName}/${versionName}`] ?? instances[crdName]
}
