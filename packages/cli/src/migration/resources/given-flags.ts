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
    readonly inTree?: boolean
    /** Only `migrate` and `verify` have it. */
    readonly accept?: string | undefined
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
  inTree,
  accept,
  ...access
}: GivenFlags): Given {
  const config = givenFlag('--kubeconfig', kubeconfig)
  const reached = config + context.map((each) => givenFlag('--context', each)).join('')
  const overrides = [
    givenFlag('--as', access.as),
    ...(access.asGroup ?? []).map((each) => givenFlag('--as-group', each)),
    givenFlag('--tls-server-name', access.tlsServerName),
    access.insecureSkipTlsVerify ? ' --insecure-skip-tls-verify' : '',
  ].join('')
  const servers = server.map((each) => givenFlag('--server', each)).join('')
  return {
    strata: `${reached}${overrides}${servers}${throughApi ? ' --through-api' : ''}${givenFlag('--concurrency', concurrency?.toString())}${givenFlag('--qps', qps?.toString())}${dryRun ? ' --dry-run' : ''}${inTree ? ' --in-tree' : ''}${givenFlag('--accept', accept === 'proven' ? undefined : accept)}`,
    // All contexts are of one cluster, and it takes one.
    kubectl: config + givenFlag('--context', context[0]) + overrides,
    controllers: reached,
  }
}

/** ` --name value`, as a shell takes it; nothing without a value. */
export const givenFlag = (name: string, value: string | undefined): string =>
  value === undefined ? '' : ` ${name} ${/^[\w@%+=:,./-]+$/.test(value) ? value : quoted(value)}`

/** As a shell takes it. */
const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`
