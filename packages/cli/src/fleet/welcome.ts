import type { FleetState } from './state/fleet-state.ts'

/** Printed when the fleet is up: how to reach it, and three commands to try. */
export function welcome(fleet: {
  readonly kubeconfig: string
  /** Signs in to the dashboard; undefined without one. */
  readonly link: string | undefined
  readonly state: Pick<FleetState, 'servers' | 'releases'>
  readonly controllers: number | undefined
  readonly logs: string
  /** What a user types to run strata. */
  readonly command: string
  /** `--data-dir …` for commands that control the fleet; '' if they find it without. */
  readonly place: string
}): string {
  const { kubeconfig, controllers, logs, command, place, link } = fleet
  const { servers, releases } = fleet.state
  const several = servers.length > 1
  const [first] = servers
  const processes = [...servers, { name: 'controllers', pid: controllers }]
  const next = releases[releases.indexOf(first?.release ?? '') + 1]
  const kill = several
    ? 'Kill a server: the others go on, and it comes back.'
    : 'Kill the server: it comes back.'
  // It takes no --data-dir.
  const cluster = place === '' ? '' : ` --kubeconfig '${kubeconfig}'`
  const steps = [
    ['Which versions does each server write, and do they agree?', `${command} status${cluster}`],
    next !== undefined && releases.includes(first?.release ?? '')
      ? [
          several ? 'Upgrade the servers, one after the other.' : 'Upgrade the server.',
          `${command} roll --to ${next}${place}`,
        ]
      : several
        ? [
            'Any server, the same data (contexts strata-1, strata-2, …).',
            'kubectl get namespaces --context strata-2',
          ]
        : ['Ordinary clients work.', 'kubectl get namespaces'],
    // By name: by the time it is typed, another process may have the pid.
    [kill, `${command} playground crash ${first?.name}${place}`],
  ]
  const release = releases.includes(first?.release ?? '') ? `, release ${first?.release}` : ''
  const dashboard =
    link === undefined
      ? ''
      : `  Dashboard. The link signs in once, within two minutes; "${command} playground link${place}" makes another.
  ${link}

`
  const shown = steps.map(([why, typed]) => `  # ${why}\n  ${typed}`).join('\n\n')
  return `
The fleet is up: ${several ? `${servers.length} servers` : 'one server'}${release}. Processes: ${processes.map(({ name, pid }) => `${name} ${pid}`).join(', ')}. Logs: ${logs}.

${dashboard}  export KUBECONFIG='${kubeconfig}'

Try, in another terminal:

${shown}

Ctrl-C stops everything; the data is kept.`
}
