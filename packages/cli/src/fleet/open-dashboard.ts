import type { Transport } from '@strata/world'
import type { CliContext } from '../context.ts'
import type { PlaygroundHandler } from '../dashboard/gateway/answer-request.ts'
import { dataHeaders } from '../dashboard/gateway/answers.ts'
import type { Gateway } from '../dashboard/gateway/start-gateway.ts'
import { answerPlayground } from './control/answer-playground.ts'
import type { Playground } from './control/create-playground.ts'
import type { FleetOptions } from './fleet-options.ts'

interface DashboardParts {
  readonly playground: Playground
  /** To the servers, as the administrator. */
  readonly transport: Transport
}

/**
 * Serves the dashboard of the fleet on this machine; it may change the fleet. The page is not built before someone opens it, or
 * the fleet is up: that would take processor time from the servers that start.
 */
export async function openDashboard(
  { servers, dashboardPort, isDashboardPortGiven }: FleetOptions,
  { playground, transport }: DashboardParts,
  { world, print }: CliContext,
): Promise<Gateway> {
  const { startGateway } = await import('../dashboard/gateway/start-gateway.ts')
  return startGateway(
    {
      ...{ cluster: 'local fleet', allowWrites: true, playground: controlBehind(playground) },
      upstream: { transport, servers, clock: world.clock },
      listen: { port: dashboardPort, flag: '--dashboard-port', isGiven: isDashboardPortGiven },
      printLink: (link) =>
        print(`Sign in to the dashboard with this link, once, within two minutes:\n\n  ${link}\n`),
    },
    world,
  )
}

/** The first user waits less. In a clone whose sources have changed, the page is built. */
export async function preparePage(): Promise<void> {
  const { loadDashboardAssets } = await import('../dashboard/assets/load-assets.ts')
  // If the build fails, the user who opens the page sees why.
  await loadDashboardAssets().catch(() => {})
}

const longestAction = 65_536

/** The gateway has decided who may use it. */
function controlBehind(playground: Playground): PlaygroundHandler {
  return async ({ method, target, signal, readBody }) => {
    const body = method === 'POST' ? await readBody(longestAction) : undefined
    const answer = await answerPlayground(playground, { method, target, body, signal })
    return { ...answer, headers: { ...dataHeaders, ...answer.headers } }
  }
}
