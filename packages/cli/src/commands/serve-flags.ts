import { defaultFeatureGates, type FeatureGate, serveDefaults } from '@strata/server/defaults'
import { parsePort } from '../options/duration.ts'
import { parseEtcdServers } from '../options/etcd-servers.ts'
import {
  choiceFlag,
  countFlag,
  durationFlag,
  type Flag,
  type FlagValues,
  flag,
  group,
  hiddenSwitch,
  listFlag,
  switchFlag,
  textFlag,
} from '../options/flag.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

const etcdServers: Flag<readonly string[] | undefined> = flag<readonly string[] | undefined>(
  '--etcd-servers <urls>',
  'etcd endpoints, separated by commas; without them the embedded store is used',
  parseEtcdServers,
  undefined,
)

/** How to reach etcd. */
export const etcdFlags = group('Storage:', {
  etcdServers,
  etcdCafile: textFlag('--etcd-cafile <file>', 'CA that signed the certificates of etcd'),
  etcdCertfile: textFlag('--etcd-certfile <file>', 'client certificate for etcd'),
  etcdKeyfile: textFlag('--etcd-keyfile <file>', 'private key of the client certificate for etcd'),
})

/** Flags that all servers of a fleet share: `up` takes them, and hands them to each server that it starts. */
export const sharedFlags = {
  ...group('Storage:', {
    etcdServers,
    encryptionProviderConfig: textFlag(
      '--encryption-provider-config <file>',
      'EncryptionConfiguration (apiserver.config.k8s.io/v1) for encryption at rest: docs/encryption.md',
    ),
    encryptionProviderConfigAutomaticReload: switchFlag(
      '--encryption-provider-config-automatic-reload',
      'reload that file when it changes; a file that is invalid, or that drops a key in use, is rejected',
    ),
    allowUndecodableStorage: listFlag(
      '--allow-undecodable-storage <resources>',
      'serve these resources, separated by commas, although objects are stored in versions that this release cannot decode',
      'such a resource is not served, and the server is not ready',
    ),
  }),
  ...group('Storage versions:', {
    expectedServers: countFlag(
      '--expected-servers <count>',
      'agree on nothing while fewer servers than this run; 0 is any number',
      serveDefaults.expectedServers,
    ),
    storageVersionCoordination: choiceFlag<'report' | 'vote'>(
      '--storage-version-coordination <form>',
      'report: the server writes the version it prefers; vote: every server writes the selected version, which changes once all of them prefer another',
      ['report', 'vote'],
      serveDefaults.form,
    ),
    storageVersionGuarantee: choiceFlag<'strict' | 'loose'>(
      '--storage-version-guarantee <guarantee>',
      'strict: the store rejects a write under an outdated agreement; loose: the server stops writing when its view of the agreement is a minute old',
      ['strict', 'loose'],
      serveDefaults.guarantee,
    ),
  }),
  ...group('Serving:', {
    dashboard: switchFlag(
      '--no-dashboard',
      'do not serve the dashboard at /dashboard/ (an aggregated server never does): docs/dashboard.md',
    ),
  }),
  ...group('API:', {
    featureGates: listFlag(
      '--feature-gates <gates>',
      'pairs of name=true or name=false, separated by commas, see below',
    ),
    runtimeConfig: listFlag(
      '--runtime-config <pairs>',
      'turn built-in APIs on or off: pairs separated by commas, see below',
    ),
    release: textFlag(
      '--release <name>',
      'act as this older or newer release of the kinds, to try an upgrade (default: the newest)',
    ),
    resources: listFlag('--resources <module>', 'module that exports kinds of your own'),
    serviceAddress: listFlag(
      '--service-address <mapping>',
      'address of a Service that a webhook or an APIService names: namespace/name=https://host:port',
    ),
    proxyClientCertFile: textFlag(
      '--proxy-client-cert-file <file>',
      'client certificate that this server shows to aggregated API servers, so that they trust its X-Remote-User: docs/aggregation.md (default: <cert-dir>/front-proxy/client.crt)',
    ),
    proxyClientKeyFile: textFlag(
      '--proxy-client-key-file <file>',
      'private key of the proxy client certificate',
    ),
    webhookService: listFlag('--webhook-service <mapping>', 'the former name of --service-address'),
  }),
  ...group('Front proxies:', {
    requestheaderClientCaFile: textFlag(
      '--requestheader-client-ca-file <file>',
      'CA of front proxies, which name the users of their requests in headers (default: <cert-dir>/front-proxy/ca.crt, unless --proxy-client-cert-file is given)',
    ),
    requestheaderAllowedNames: listFlag(
      '--requestheader-allowed-names <names>',
      'common names of front proxies, separated by commas; without names, every certificate of that CA is one',
      'front-proxy-client for the default CA',
    ),
    requestheaderUsernameHeaders: listFlag(
      '--requestheader-username-headers <headers>',
      'headers that name the user, separated by commas; the first one with a value counts',
      'X-Remote-User',
    ),
    requestheaderUidHeaders: listFlag(
      '--requestheader-uid-headers <headers>',
      "headers with the user's uid, separated by commas",
      'X-Remote-Uid',
    ),
    requestheaderGroupHeaders: listFlag(
      '--requestheader-group-headers <headers>',
      "headers with the user's groups, separated by commas",
      'X-Remote-Group',
    ),
    requestheaderExtraHeadersPrefix: listFlag(
      '--requestheader-extra-headers-prefix <prefixes>',
      "beginnings of headers with the user's extra attributes, separated by commas",
      'X-Remote-Extra-',
    ),
  }),
}

/** Every flag of `strata serve`, with its default and its help. The defaults are those of the server's `ServeOptions`. */
export const serveFlags = {
  ...group('Storage:', {
    dataDir: flag('--data-dir <directory>', 'embedded store and credentials', (text) => text, '.strata/data'),
    store: textFlag(
      '--store <kind>',
      'memory, sqlite or etcd (default: sqlite; etcd when --etcd-servers is given)',
    ),
    ...etcdFlags,
    etcdCompactionInterval: durationFlag(
      '--etcd-compaction-interval <duration>',
      'how much history the store keeps, etcd or not; 0 keeps all',
      serveDefaults.compactionMs,
    ),
    eventTtl: durationFlag(
      '--event-ttl <duration>',
      'how long Events are kept; 0 keeps them forever',
      serveDefaults.eventTtlMs,
    ),
    // Tests judge the history of fleets that run the published command (test/history-audit).
    traceWriters: hiddenSwitch('--trace-writers', 'also store which server process wrote each object'),
  }),
  ...group('Serving:', {
    bindAddress: flag(
      '--bind-address <address>',
      'address to listen on',
      (text) => text,
      serveDefaults.bindAddress,
    ),
    securePort: flag<number>(
      '--secure-port <port>',
      'HTTPS port; 0 takes a free one',
      parsePort,
      serveDefaults.securePort,
    ),
    certDir: textFlag(
      '--cert-dir <directory>',
      'CA, serving certificate and tokens; created on the first start (default: <data-dir>/pki)',
    ),
    tlsCertFile: textFlag(
      '--tls-cert-file <file>',
      'serving certificate, with the certificates of its CA if needed (default: the one in --cert-dir)',
    ),
    tlsPrivateKeyFile: textFlag('--tls-private-key-file <file>', 'private key of the serving certificate'),
    kubeconfigOut: textFlag(
      '--kubeconfig-out <file>',
      "write the administrator's kubeconfig when ready; its context is named after --instance, or strata-<port>",
    ),
    maxRequestsInflight: countFlag(
      '--max-requests-inflight <count>',
      'limit of concurrent reads; 0 is no limit',
      serveDefaults.maxRequestsInflight,
    ),
    maxMutatingRequestsInflight: countFlag(
      '--max-mutating-requests-inflight <count>',
      'limit of concurrent writes; 0 is no limit',
      serveDefaults.maxMutatingRequestsInflight,
    ),
    shutdownDelayDuration: durationFlag(
      '--shutdown-delay-duration <duration>',
      'before stopping, be unready this long but still answer requests',
      serveDefaults.shutdownDelayMs,
    ),
  }),
  ...group('Aggregated server:', {
    aggregated: switchFlag(
      '--aggregated',
      'be a server behind an aggregator: serve only the kinds of --resources, and ask the aggregator who users are and what they may do: docs/aggregated-server.md',
    ),
    kubeconfig: textFlag(
      '--kubeconfig <file>',
      'how to reach the aggregator (default: in a pod, the cluster of the pod)',
    ),
    serviceName: textFlag(
      '--service-name <service>',
      'the Service that the APIService names, as namespace/name: the serving certificate in --cert-dir is then for <name>.<namespace>.svc, too',
    ),
  }),
  ...group('Identity of this server:', {
    instance: textFlag('--instance <name>', 'tells servers on one host apart (default: the port)'),
    identityLeaseDurationSeconds: countFlag(
      '--identity-lease-duration-seconds <seconds>',
      'remove the entries of this server after this many seconds without a renewal of its identity Lease',
      serveDefaults.leaseDurationSeconds,
    ),
    identityLeaseRenewIntervalSeconds: countFlag(
      '--identity-lease-renew-interval-seconds <seconds>',
      'how often the identity Lease is renewed',
      serveDefaults.renewIntervalSeconds,
    ),
    collectExpiredServers: switchFlag(
      '--no-collect-expired-servers',
      'never let this server remove expired identity Leases and the entries of their servers (default: one server of the fleet removes them)',
    ),
  }),
  ...group('Authentication and authorization:', {
    tokenAuthFile: textFlag(
      '--token-auth-file <file>',
      'static tokens, one per line: token,user,uid,"group1,group2"',
    ),
    clientCaFile: textFlag('--client-ca-file <file>', "CA of client certificates (default: the fleet's CA)"),
    authorizationMode: flag<string>(
      '--authorization-mode <modes>',
      'RBAC, AlwaysAllow, AlwaysDeny, separated by commas; a request is allowed if one of them allows it',
      (text) => text,
      serveDefaults.authorizationMode,
    ),
    serviceAccountIssuer: listFlag(
      '--service-account-issuer <url>',
      'issuer of service account tokens; the first issues, all are accepted',
      serveDefaults.serviceAccountIssuer,
    ),
    serviceAccountSigningKeyFile: textFlag(
      '--service-account-signing-key-file <file>',
      'private key that signs tokens; servers on several machines need the same (default: <cert-dir>/sa.key)',
    ),
    serviceAccountKeyFile: listFlag(
      '--service-account-key-file <file>',
      'further keys whose tokens are accepted',
    ),
    serviceAccountMaxTokenExpiration: durationFlag(
      '--service-account-max-token-expiration <duration>',
      'longest lifetime of a token; 0 is no limit',
      serveDefaults.serviceAccountMaxTokenExpirationMs,
    ),
    serviceAccountJwksUri: textFlag(
      '--service-account-jwks-uri <url>',
      'where clients find the keys that verify tokens (default: /openid/v1/jwks below the issuer)',
    ),
    apiAudiences: flag<readonly string[] | undefined>(
      '--api-audiences <names>',
      'audiences of tokens for this API, separated by commas (default: the issuers)',
      (text) => text.split(',').filter((each) => each !== ''),
      undefined,
    ),
  }),
  ...group('Audit log:', {
    auditPolicyFile: textFlag(
      '--audit-policy-file <file>',
      'audit.k8s.io/v1 Policy: which requests are logged, and at which level',
    ),
    auditLogPath: textFlag(
      '--audit-log-path <file>',
      "audit log, one JSON object per line; '-' is standard output",
    ),
    auditLogMaxage: countFlag(
      '--audit-log-maxage <days>',
      'delete old audit logs after so many days; 0 keeps them',
      serveDefaults.auditLogMaxage,
    ),
    auditLogMaxbackup: countFlag(
      '--audit-log-maxbackup <count>',
      'how many old audit logs are kept; 0 keeps all',
      serveDefaults.auditLogMaxbackup,
    ),
    auditLogMaxsize: countFlag(
      '--audit-log-maxsize <megabytes>',
      'start a new audit log at this size; 0 never does',
      serveDefaults.auditLogMaxsize,
    ),
  }),
  ...sharedFlags,
}

export type ServeFlags = FlagValues<typeof serveFlags>
export type SharedFlags = FlagValues<typeof sharedFlags>

const gateHelp: Readonly<Record<FeatureGate, string>> = {
  StorageVersionAPI: 'record the version of each resource that this server writes, and fence writes by it',
  APIServerIdentity: 'have an identity Lease; StorageVersionAPI needs it',
  StorageVersionHash: 'show the storage version of each resource in discovery',
  EnableCoordinatedDiscoveryDocument: 'report in discovery whether all servers have the same documents',
  AgreedServing: 'serve only what every live server serves',
  AllowUnsafeMalformedObjectDeletion:
    'let those with the right to unsafe-delete-ignore-read-errors delete objects that cannot be decoded (strata repair)',
}

/** The values of --feature-gates and --runtime-config, and the exit codes of a command that runs `what`. */
export const apiHelp = (what: 'server' | 'fleet'): string => `
Feature gates:
${Object.entries(gateHelp)
  .map(([name, help]) => `  ${name} (default: ${defaultFeatureGates[name as FeatureGate]}): ${help}`)
  .join('\n')}

Runtime config (default: all are on, also alpha versions):
  <group>/<version>=true|false             /v1 for the core group
  <group>/<version>/<resource>=true|false
  api/all=true|false                       also api/ga, api/beta, api/alpha

Exit codes:
  0  stopped by a signal
  1  the ${what} cannot start, or cannot continue
  2  a flag, or a file that it names, is wrong`

/** The values of a flag that may be repeated, and separates values by commas. */
export function separated(given: readonly string[]): string[] {
  return given.flatMap((each) => each.split(','))
}

export function joined(pairs: readonly string[]): string {
  return pairs.join(',')
}

/** `parse` is handed in because only commands that run a server load it. */
export function readFeatureGates<Gates extends object>(
  given: readonly string[],
  parse: (text: string) => Gates | { readonly problem: string },
): Gates {
  const text = joined(given)
  const gates = parse(text)
  if ('problem' in gates) {
    throw new CliError(
      `invalid argument ${JSON.stringify(text)} for "--feature-gates" flag: ${gates.problem}`,
      exitCodes.usage,
    )
  }
  return gates
}
