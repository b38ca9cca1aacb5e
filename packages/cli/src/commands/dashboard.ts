import { untilAborted } from '@strata/world'
import { type Command, Option } from 'commander'
import {
  type ClusterConnection,
  type ClusterFlags,
  connectAsGiven,
  fleetContexts,
} from '../connection/cluster-client.ts'
import { kubeconfigSource, loadContextNames } from '../connection/kubeconfig.ts'
import type { CliContext } from '../context.ts'
import { defaultDashboardPort } from '../dashboard/default-port.ts'
import { decideOpener, openBrowser } from '../dashboard/open-browser.ts'
import { parsePort } from '../options/duration.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { addAccessOptions } from './cluster-options.ts'

interface Flags extends ClusterFlags {
  readonly port: number
  readonly allowWrites: boolean
  readonly open: boolean
}

export function addDashboard(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('dashboard')
    .description(
      'Serve the dashboard of any cluster on this machine, with the rights of the kubeconfig. Read-only by default.',
    )
    .addOption(
      new Option(
        '--port <port>',
        'port on 127.0.0.1; 0 takes a free one. If you give a port that is in use, the dashboard does not start',
      )
        .argParser(parsePort)
        .default(defaultDashboardPort, `${defaultDashboardPort}, or the next free one`),
    )
    .option(
      '--allow-writes',
      'let the page change the cluster, as far as the user of the kubeconfig may',
      false,
    )
    .option('--no-open', 'do not open the browser (default: it is opened from a terminal that has a screen)')
    .option('-v, --verbose', 'tell each request, on standard error', false)
  addAccessOptions(command)
    .addHelpText('after', help)
    .action(async (flags: Flags) => {
      const isGiven = command.getOptionValueSource('port') === 'cli'
      await serveDashboard(flags, isGiven, context)
      done(0)
    })
}

async function serveDashboard(flags: Flags, isGiven: boolean, context: CliContext): Promise<void> {
  const { world, signal, print, environment } = context
  const { startGateway } = await import('../dashboard/gateway/start-gateway.ts')
  const cluster = await nameCluster(flags, context)
  const connection = await connect(flags, context)
  const { transport, pin, servers } = connection
  const { allowWrites, port, requestTimeout: answerMs } = flags
  try {
    const gateway = await startGateway(
      {
        ...{ cluster, allowWrites },
        upstream: { transport, pin, servers, clock: world.clock, answerMs },
        listen: { port, flag: '--port', isGiven },
        printLink: (link) => print(`Sign in with this link, once, within two minutes:\n\n  ${link}\n`),
      },
      world,
    )
    print(banner({ cluster, link: gateway.createLink(), allowWrites }))
    const opener = flags.open && context.isTerminal ? decideOpener(process.platform, environment) : undefined
    const opened = opener === undefined ? undefined : await openBrowser(opener, gateway.createLink())
    try {
      await untilAborted(signal)
    } finally {
      await Promise.all([gateway.close(), opened?.dispose()])
    }
  } finally {
    connection.close()
  }
}

async function connect(flags: Flags, context: CliContext): Promise<ClusterConnection> {
  try {
    const reached = { ...flags, ...(await fleetContexts(flags, context)) }
    return await connectAsGiven(reached, context, 'strata-dashboard')
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // The kubeconfig is wrong: no server is asked before the page asks one.
    throw new CliError(error.message, exitCodes.usage, { cause: error })
  }
}

/** The context, as the user knows the cluster. */
async function nameCluster(flags: Flags, { environment }: CliContext): Promise<string> {
  const [named] = flags.context
  if (named !== undefined) return named
  const names = await loadContextNames(kubeconfigSource(flags.kubeconfig, environment)).catch(() => [])
  return names[0] ?? 'this cluster'
}

interface Shown {
  readonly cluster: string
  readonly link: string
  readonly allowWrites: boolean
}

const banner = ({ cluster, link, allowWrites }: Shown): string =>
  `The dashboard of ${cluster}${allowWrites ? ', which may change the cluster' : ', read-only'}.
Sign in with this link, once, within two minutes:

  ${link}

The page shows another link here when you ask it to. Ctrl-C ends the dashboard and all its sessions.`

const help = `
The dashboard listens on 127.0.0.1 only. It sends the requests of the page to the cluster with the credentials of the
kubeconfig, which the browser never sees. Several contexts are several servers of one fleet: when one fails, the next is asked.
Without --allow-writes it passes on only requests that read. It never passes on Secrets, nor connections to pods.
docs/security.md says who can reach it.

"strata rbac dashboard" prints the rights that it needs. A part of the page whose right is missing says which.

Exit codes:
  0  stopped by a signal
  1  the dashboard cannot continue
  2  a flag or the kubeconfig is wrong, or the port is in use

Examples:
  $ strata dashboard
  $ strata dashboard --kubeconfig production.yaml --context blue
  $ strata dashboard --allow-writes --port 8080 --no-open`
