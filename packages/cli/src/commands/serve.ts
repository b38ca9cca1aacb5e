import type { ServeOptions } from '@strata/server/main'
import type { Command } from 'commander'
import { type AggregatorConnection, connectAggregator } from '../connection/aggregator.ts'
import { loadPodAccess } from '../connection/pod-access.ts'
import type { CliContext } from '../context.ts'
import { servePublicFiles } from '../dashboard/assets/public-files.ts'
import { addFlags } from '../options/flag.ts'
import { storeChoice } from '../options/store-choice.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { decideAggregatedProblem } from './aggregated-flags.ts'
import { apiHelp, joined, readFeatureGates, type ServeFlags, separated, serveFlags } from './serve-flags.ts'

export function addServe(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  addFlags(program.command('serve').description('Run one API server.'), serveFlags)
    .addHelpText(
      'after',
      `${apiHelp('server')}

Examples:
  $ strata serve --data-dir /var/lib/strata
  $ strata serve --etcd-servers https://10.0.0.1:2379,https://10.0.0.2:2379 --etcd-cafile ca.crt
  $ strata serve --encryption-provider-config keys.yaml --encryption-provider-config-automatic-reload
  $ strata serve --resources examples/lighthouse/resources.ts --release x+1 --secure-port 6444
  $ strata serve --aggregated --kubeconfig aggregator.yaml --resources examples/lighthouse/resources.ts --service-name shop/api`,
    )
    .action(async (flags: ServeFlags) => {
      const { ConfigurationProblem, makeDirectory, serve } = await import('@strata/server/main')
      const options = await serveOptions(flags)
      const aggregator = await connect(flags, context)
      try {
        await makeDirectory(flags.dataDir, '--data-dir')
        const end = await serve(
          { ...options, aggregator: aggregator?.transport, aggregatorUrl: aggregator?.url },
          context.world,
          context.signal,
          ({ url }) => context.world.log.info('serving', { url }),
        )
        if (end.end === 'refused') throw new CliError(end.why)
      } catch (error) {
        if (!(error instanceof ConfigurationProblem)) throw error
        throw new CliError(error.message, error.isTransient ? 1 : exitCodes.usage, { cause: error })
      } finally {
        aggregator?.close()
      }
      done(0)
    })
}

/** Undefined for a server that is not behind an aggregator. */
async function connect(flags: ServeFlags, context: CliContext): Promise<AggregatorConnection | undefined> {
  const pod = flags.aggregated ? await loadPodAccess(context.environment) : undefined
  const problem = decideAggregatedProblem(flags, serveFlags, pod !== undefined)
  if (problem !== undefined) throw new CliError(problem, exitCodes.usage)
  return flags.aggregated ? connectAggregator(flags.kubeconfig, pod, context) : undefined
}

async function serveOptions(flags: ServeFlags): Promise<ServeOptions> {
  const { authorizationModes, parseFeatureGates, pathsBelow } = await import('@strata/server/main')
  const paths = pathsBelow(flags.dataDir)
  return {
    ...flags,
    store: storeChoice(flags, paths.storeDir),
    certDir: flags.certDir ?? paths.certDir,
    authorizationModes: parseModes(flags.authorizationMode, authorizationModes),
    resourceModules: flags.resources,
    form: flags.storageVersionCoordination,
    guarantee: flags.storageVersionGuarantee,
    leaseDurationSeconds: flags.identityLeaseDurationSeconds,
    renewIntervalSeconds: flags.identityLeaseRenewIntervalSeconds,
    shutdownDelayMs: flags.shutdownDelayDuration,
    compactionMs: flags.etcdCompactionInterval,
    eventTtlMs: flags.eventTtl,
    serviceAccountMaxTokenExpirationMs: flags.serviceAccountMaxTokenExpiration,
    serviceAddresses: [...flags.serviceAddress, ...flags.webhookService],
    featureGates: readFeatureGates(flags.featureGates, parseFeatureGates),
    runtimeConfig: joined(flags.runtimeConfig),
    collectsExpiredServers: flags.collectExpiredServers,
    allowUndecodableStorage: separated(flags.allowUndecodableStorage),
    dashboard: flags.dashboard ? servePublicFiles : undefined,
    requestheaderAllowedNames: separated(flags.requestheaderAllowedNames),
    requestheaderUsernameHeaders: separated(flags.requestheaderUsernameHeaders),
    requestheaderUidHeaders: separated(flags.requestheaderUidHeaders),
    requestheaderGroupHeaders: separated(flags.requestheaderGroupHeaders),
    requestheaderExtraHeadersPrefix: separated(flags.requestheaderExtraHeadersPrefix),
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
