import type { AccessFlags } from '../../connection/access-flags.ts'
import type { MigrationFlags } from './cluster.ts'

/** The flags that reach the same cluster in the same way. Messages repeat them in the commands that they suggest. */
export interface Given {
  readonly strata: string
  /** As far as it has the same flags. */
  readonly kubectl: string
  readonly controllers: string
}

export const nothingGiven: Given = { strata: '', kubectl: '', controllers: '' }

/** A token is left out: what is suggested ends up in logs. */
type GivenFlags = Pick<MigrationFlags, 'kubeconfig' | 'context' | 'server'> &
  Pick<AccessFlags, 'as' | 'asGroup' | 'tlsServerName' | 'insecureSkipTlsVerify'> & {
    readonly throughApi: boolean
    readonly concurrency?: number | undefined
    readonly qps?: number | undefined
    readonly dryRun?: boolean
  }

/** The flags to repeat in a suggested command. Without them, the copied command reaches another cluster, or none. */
export function givenFlags({
  kubeconfig,
  context,
  server,
  throughApi,
  concurrency,
  qps,
  dryRun,
  ...access
}: GivenFlags): Given {
  const config = flag('--kubeconfig', kubeconfig)
  const reached = config + context.map((each) => flag('--context', each)).join('')
  const overrides = [
    flag('--as', access.as),
    ...(access.asGroup ?? []).map((each) => flag('--as-group', each)),
    flag('--tls-server-name', access.tlsServerName),
    access.insecureSkipTlsVerify ? ' --insecure-skip-tls-verify' : '',
  ].join('')
  const servers = server.map((each) => flag('--server', each)).join('')
  return {
    strata: `${reached}${overrides}${servers}${throughApi ? ' --through-api' : ''}${flag('--concurrency', concurrency?.toString())}${flag('--qps', qps?.toString())}${dryRun ? ' --dry-run' : ''}`,
    // All contexts are of one cluster, and it takes one.
    kubectl: config + flag('--context', context[0]) + overrides,
    controllers: reached,
  }
}

const flag = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name} ${/^[\w@%+=:,./-]+$/.test(value) ? value : quoted(value)}`

/** As a shell takes it. */
const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`
