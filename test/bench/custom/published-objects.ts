/** As people write them; between 1 and 2 kB. */
export const prometheus: Readonly<Record<string, unknown>> = {
  spec: {
    replicas: 2,
    image: 'quay.io/prometheus/prometheus:v3.5.0',
    version: '3.5.0',
    serviceAccountName: 'prometheus',
    retention: '15d',
    scrapeInterval: '30s',
    evaluationInterval: '30s',
    logLevel: 'info',
    externalUrl: 'https://prometheus.example.com/',
    externalLabels: { cluster: 'west-1', team: 'observability' },
    serviceMonitorSelector: { matchLabels: { team: 'frontend' } },
    serviceMonitorNamespaceSelector: {},
    podMonitorSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b', 'c'] }] },
    ruleSelector: { matchLabels: { role: 'alert-rules', prometheus: 'main' } },
    resources: { requests: { cpu: '500m', memory: '2Gi' }, limits: { memory: '4Gi' } },
    securityContext: { fsGroup: 2000, runAsNonRoot: true, runAsUser: 1000 },
    alerting: {
      alertmanagers: [
        { namespace: 'monitoring', name: 'alertmanager-main', port: 'web', apiVersion: 'v2', timeout: '10s' },
      ],
    },
    remoteWrite: [
      {
        url: 'https://metrics.example.com/api/v1/write',
        basicAuth: {
          username: { name: 'remote-write', key: 'username' },
          password: { name: 'remote-write', key: 'password' },
        },
        queueConfig: { capacity: 10_000, maxShards: 50, maxSamplesPerSend: 2000 },
        writeRelabelConfigs: [{ sourceLabels: ['__name__'], regex: 'go_.*', action: 'drop' }],
      },
    ],
    storage: {
      volumeClaimTemplate: {
        spec: {
          storageClassName: 'fast',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '100Gi' } },
        },
      },
    },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'monitoring', effect: 'NoSchedule' }],
    containers: [
      {
        name: 'auth',
        image: 'proxy:v1',
        args: ['--upstream=http://localhost:9090'],
        ports: [{ containerPort: 4180 }],
      },
    ],
  },
}

const backend = (name: string, weight: number) => ({ name, port: 8080, weight })

export const httpRoute: Readonly<Record<string, unknown>> = {
  spec: {
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    hostnames: ['shop.example.com', 'www.shop.example.com'],
    rules: [
      {
        matches: [
          { path: { type: 'PathPrefix', value: '/api' }, headers: [{ name: 'x-beta', value: 'true' }] },
          { path: { type: 'PathPrefix', value: '/v2' }, method: 'GET' },
        ],
        filters: [
          {
            type: 'RequestHeaderModifier',
            requestHeaderModifier: { set: [{ name: 'x-from', value: 'gateway' }], remove: ['x-internal'] },
          },
        ],
        backendRefs: [backend('api-canary', 10), backend('api', 90)],
      },
      {
        matches: [{ path: { type: 'Exact', value: '/old' } }],
        filters: [
          { type: 'RequestRedirect', requestRedirect: { hostname: 'new.example.com', statusCode: 301 } },
        ],
      },
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        timeouts: { request: '30s', backendRequest: '10s' },
        backendRefs: [backend('web', 1)],
      },
    ],
  },
}
