import type { ServeOptions } from '@strata/server/main'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { collect, durationOption, parsePort, parseWhole } from '../options/duration.ts'
import { storeChoice } from '../options/store-choice.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type ApiFlags, addApiFlags, joined, readFeatureGates } from './api-flags.ts'
import { type AuditFlags, addAuditFlags, auditOptions } from './audit-flags.ts'
import { addCoordinationFlags, type CoordinationFlags, coordinationOptions } from './coordination-flags.ts'
import { addEncryptionFlags, type EncryptionFlags, encryptionOptions } from './encryption-flags.ts'
import { addEtcdFlags } from './etcd-flags.ts'
import {
  addServiceAccountFlags,
  type ServiceAccountFlags,
  serviceAccountOptions,
} from './service-account-flags.ts'
import { addUndecodableFlag, type UndecodableFlag } from './undecodable-flag.ts'

interface Flags
  extends ServiceAccountFlags,
    AuditFlags,
    ApiFlags,
    CoordinationFlags,
    EncryptionFlags,
    UndecodableFlag {
  readonly dataDir: string
  readonly store?: string
  readonly etcdServers?: readonly string[]
  readonly etcdCafile?: string
  readonly etcdCertfile?: string
  readonly etcdKeyfile?: string
  readonly etcdCompactionInterval: number
  readonly bindAddress: string
  readonly securePort: number
  readonly certDir?: string
  readonly tokenAuthFile?: string
  readonly authorizationMode: string
  readonly clientCaFile?: string
  readonly maxRequestsInflight: number
  readonly maxMutatingRequestsInflight: number
  readonly kubeconfigOut?: string
  readonly instance?: string
  readonly release?: string
  readonly resources: readonly string[]
  readonly expectedServers: number
  readonly identityLeaseDurationSeconds: number
  readonly identityLeaseRenewIntervalSeconds: number
  readonly shutdownDelayDuration: number
  readonly eventTtl: number
  readonly webhookService: readonly string[]
  readonly traceWriters?: boolean
  readonly collectExpiredServers: boolean
}

export function addServe(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('serve')
    .description('Run one API server instance.')
    .option('--data-dir <directory>', 'the embedded store and the credentials', '.strata/data')
    .option('--store <kind>', 'memory, sqlite or etcd (default: sqlite; etcd when --etcd-servers is given)')
  addEtcdFlags(command)
    .addOption(
      durationOption(
        '--etcd-compaction-interval <duration>',
        'how much history to keep; 0 keeps all',
        300_000,
        '5m',
      ),
    )
    .option('--bind-address <address>', 'where to listen', '127.0.0.1')
    .option('--secure-port <port>', 'HTTPS port', parsePort, 6443)
    .option('--cert-dir <directory>', 'authority, serving certificate and tokens (default: <data-dir>/pki)')
    .option('--token-auth-file <file>', 'lines of token,user,uid,"group1,group2"')
    .option(
      '--authorization-mode <modes>',
      'who may do what: RBAC, AlwaysAllow, AlwaysDeny, separated by commas; the first that allows counts',
      'RBAC',
    )
    .option('--client-ca-file <file>', 'authority of client certificates (default: the one of this fleet)')
  addApiFlags(addCoordinationFlags(addEncryptionFlags(addAuditFlags(addServiceAccountFlags(command)))))
    .option('--max-requests-inflight <count>', 'reads under way at once; 0 is no limit', parseWhole, 400)
    .option(
      '--max-mutating-requests-inflight <count>',
      'writes under way at once; 0 is no limit',
      parseWhole,
      200,
    )
    .option(
      '--kubeconfig-out <file>',
      'write a kubeconfig of the administrator when ready; its context is called by --instance, or strata-<port>',
    )
    .option('--instance <name>', 'distinguishes servers on one host (default: the port)')
    .option('--release <name>', 'play an older or newer release of the kinds')
    .option('--resources <module>', 'a module that exports kinds of your own; may be repeated', collect, [])
    .option(
      '--expected-servers <count>',
      'agreement needs at least this many servers; 0 makes no claim',
      parseWhole,
      0,
    )
    .option(
      '--identity-lease-duration-seconds <seconds>',
      'after which a silent server is expelled',
      parseWhole,
      3600,
    )
    .option(
      '--identity-lease-renew-interval-seconds <seconds>',
      'how often the identity Lease is renewed',
      parseWhole,
      10,
    )
    .addOption(
      durationOption(
        '--shutdown-delay-duration <duration>',
        'stay up, but unready, this long before stopping',
        0,
        '0',
      ),
    )
    .addOption(
      durationOption(
        '--event-ttl <duration>',
        'how long events are kept; 0 keeps them for ever',
        3_600_000,
        '1h',
      ),
    )
    .option(
      '--no-collect-expired-servers',
      'take no part in removing expired identity Leases and the entries of their servers; one server of a fleet does it at a time',
    )
    .option(
      '--trace-writers',
      'with every object also store which server process wrote it, for strata audit-history; costs one small key per write in the history',
    )
  addUndecodableFlag(command)
    .option(
      '--webhook-service <mapping>',
      'where a service of webhooks is: namespace/name=https://host:port; may be repeated',
      collect,
      [],
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 when it was told to stop, 2 if an option, or a file that it names, is wrong, 1 if it cannot go on.

Examples:
  $ strata serve --data-dir /var/lib/strata
  $ strata serve --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-cafile ca.crt
  $ strata serve --encryption-provider-config keys.yaml --encryption-provider-config-automatic-reload
  $ strata serve --resources examples/lighthouse/resources.ts --release x+1 --secure-port 6444`,
    )
    .action(async (flags: Flags) => {
      const { ConfigurationProblem, makeDirectory, serve } = await import('@strata/server/main')
      const options = await serveOptions(flags)
      try {
        await makeDirectory(flags.dataDir, '--data-dir')
        const end = await serve(options, context.world, context.signal, ({ url }) =>
          context.world.log.info('serving', { url }),
        )
        if (end.end === 'refused') throw new CliError(end.why)
      } catch (error) {
        if (!(error instanceof ConfigurationProblem)) throw error
        throw new CliError(error.message, error.isTransient ? 1 : exitCodes.usage, { cause: error })
      }
      done(0)
    })
}

async function serveOptions(flags: Flags): Promise<ServeOptions> {
  const { authorizationModes, parseFeatureGates, pathsBelow } = await import('@strata/server/main')
  const paths = pathsBelow(flags.dataDir)
  const { tokenAuthFile, clientCaFile, kubeconfigOut, instance, release } = flags
  return {
    store: storeChoice(flags, paths.storeDir),
    bindAddress: flags.bindAddress,
    securePort: flags.securePort,
    certDir: flags.certDir ?? paths.certDir,
    authorizationModes: parseModes(flags.authorizationMode, authorizationModes),
    resourceModules: flags.resources,
    expectedServers: flags.expectedServers,
    leaseDurationSeconds: flags.identityLeaseDurationSeconds,
    renewIntervalSeconds: flags.identityLeaseRenewIntervalSeconds,
    shutdownDelayMs: flags.shutdownDelayDuration,
    compactionMs: flags.etcdCompactionInterval,
    eventTtlMs: flags.eventTtl,
    webhookServices: flags.webhookService,
    featureGates: readFeatureGates(flags.featureGates, parseFeatureGates),
    runtimeConfig: joined(flags.runtimeConfig),
    traceWriters: flags.traceWriters ?? false,
    collectsExpiredServers: flags.collectExpiredServers,
    allowUndecodableStorage: flags.allowUndecodableStorage.flatMap((each) => each.split(',')),
    ...serviceAccountOptions(flags),
    ...auditOptions(flags),
    ...encryptionOptions(flags),
    ...coordinationOptions(flags),
    maxRequestsInflight: flags.maxRequestsInflight,
    maxMutatingRequestsInflight: flags.maxMutatingRequestsInflight,
    ...(tokenAuthFile === undefined ? {} : { tokenAuthFile }),
    ...(clientCaFile === undefined ? {} : { clientCaFile }),
    ...(kubeconfigOut === undefined ? {} : { kubeconfig: kubeconfigOut }),
    ...(instance === undefined ? {} : { instance }),
    ...(release === undefined ? {} : { release }),
  }
}

function parseModes<Mode extends string>(text: string, known: readonly Mode[]): Mode[] {
  return text.split(',').map((each) => {
    const mode = known.find((other) => other === each)
    if (mode === undefined) {
      throw new CliError(
        `--authorization-mode: ${JSON.stringify(each)} is not one of ${known.join(', ')}`,
        exitCodes.usage,
      )
    }
    return mode
  })
}
