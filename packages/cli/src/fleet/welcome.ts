import type { Member } from './member.ts'

/** What a newcomer sees: how to reach the fleet, and three things worth trying. */
export function welcome(fleet: {
  readonly kubeconfig: string
  readonly members: readonly Member[]
  readonly logs: string
  readonly example: boolean
}): string {
  const { kubeconfig, members, logs, example } = fleet
  const pids = members.map(({ name, pid }) => `${name} ${pid}`).join(', ')
  const beacon = `echo '{"apiVersion":"lighthouse.example.dev/v1","kind":"Beacon","metadata":{"name":"one"},"spec":{"everySeconds":5}}' \\
      | kubectl create --raw /apis/lighthouse.example.dev/v1/namespaces/default/beacons -f -`
  return `
The fleet is up. Processes: ${pids}. Logs: ${logs}.

  export KUBECONFIG=${kubeconfig}

Try next:

  # Who stores what in which version, and do they agree?
  npm exec strata -- status

  # Any server, the same data (contexts strata-1, strata-2, …).
  kubectl get --raw /api/v1/namespaces --context strata-2
${example ? `\n  # An object of the example kind, written through one server…\n  ${beacon}\n  # …and read through another, in another version.\n  kubectl get --raw /apis/lighthouse.example.dev/v2/namespaces/default/beacons/one --context strata-3\n` : ''}
  # Kill a server: the others go on, and it comes back.
  kill -9 ${members[0]?.pid}

Ctrl-C stops everything; the data is kept.`
}
