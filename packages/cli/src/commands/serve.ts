import type { ServeOptions } from '@strata/server/main'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { addFlags } from '../options/flag.ts'
import { storeChoice } from '../options/store-choice.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
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
  $ strata serve --resources examples/lighthouse/resources.ts --release x+1 --secure-port 6444`,
    )
    .action(async (flags: ServeFlags) => {
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

async function serveOptions(flags: ServeFlags): Promise<ServeOptions> {
  const { authorizationModes, parseFeatureGates, pathsBelow } = await import('@strata/server/main')
  const paths = pathsBelow(flags.dataDir)
  return {
    ...flags,
    store: storeChoice(flags, paths.storeDir),
    certDir: flags.certDir ?? paths.certDir,
    kubeconfig: flags.kubeconfigOut,
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
