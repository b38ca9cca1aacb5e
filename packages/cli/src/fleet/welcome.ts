import type { Member } from './member.ts'

/** Printed when the fleet is up: how to reach it, and what to try. */
export function welcome(fleet: {
  readonly kubeconfig: string
  readonly members: readonly Pick<Member, 'name' | 'pid'>[]
  readonly servers: number
  readonly logs: string
  readonly example: boolean
  /** What a user types to run strata. */
  readonly command: string
}): string {
  const { kubeconfig, members, servers, logs, example, command } = fleet
  const pids = members.map(({ name, pid }) => `${name} ${pid}`).join(', ')
  const several = servers > 1
  const last = several ? ` --context strata-${servers}` : ''
  const beacon =
    '{"apiVersion":"lighthouse.example.dev/v1","kind":"Beacon","metadata":{"name":"one"},"spec":{"everySeconds":5}}'
  const steps = [
    ['Which versions does each server write, and do they agree?', `${command} status`],
    several
      ? [
          'Any server, the same data (contexts strata-1, strata-2, …).',
          'kubectl get namespaces --context strata-2',
        ]
      : ['Ordinary clients work.', 'kubectl get namespaces'],
    ...(example
      ? [
          [
            several
              ? 'An object of the example kind, written through one server…'
              : 'An object of the example kind…',
            `echo '${beacon}' \\\n      | kubectl apply -f -`,
          ],
          [
            several ? '…and read through another, in another version.' : '…read in another version.',
            `kubectl get beacons.v2.lighthouse.example.dev one -o yaml${last}`,
          ],
        ]
      : []),
    [
      several ? 'Kill a server: the others go on, and it comes back.' : 'Kill the server: it comes back.',
      `kill -9 ${members[0]?.pid}`,
    ],
  ]
  const shown = steps.map(([why, command]) => `  # ${why}\n  ${command}`).join('\n\n')
  return `
${several ? `The fleet is up: ${servers} servers.` : 'The fleet is up: one server.'} Processes: ${pids}. Logs: ${logs}.

  export KUBECONFIG='${kubeconfig}'

Try next:

${shown}

Ctrl-C stops everything; the data is kept.`
}
