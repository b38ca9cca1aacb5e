import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

export interface StoreFlags {
  readonly store?: string | undefined
  readonly etcdServers?: readonly string[] | undefined
  readonly etcdCafile?: string | undefined
  readonly etcdCertfile?: string | undefined
  readonly etcdKeyfile?: string | undefined
}

/** The store that the flags choose. Flags that contradict each other are refused. */
export function storeChoice(flags: StoreFlags, directory: string) {
  const { etcdServers, etcdCafile, etcdCertfile, etcdKeyfile } = flags
  const kind = flags.store ?? (etcdServers === undefined ? 'sqlite' : 'etcd')
  if (kind !== 'memory' && kind !== 'sqlite' && kind !== 'etcd') {
    throw new CliError(`--store ${kind}: choose memory, sqlite or etcd`, exitCodes.usage)
  }
  if (kind !== 'etcd') {
    const stray = Object.entries({
      '--etcd-servers': etcdServers,
      '--etcd-cafile': etcdCafile,
      '--etcd-certfile': etcdCertfile,
      '--etcd-keyfile': etcdKeyfile,
    }).find(([, value]) => value !== undefined)?.[0]
    if (stray !== undefined) {
      const way =
        flags.store === undefined ? 'name the endpoints with --etcd-servers too' : 'leave one of them out'
      throw new CliError(`${stray} does not go with the ${kind} store: ${way}`, exitCodes.usage)
    }
    return kind === 'memory' ? { kind: 'memory' as const } : { kind: 'sqlite' as const, directory }
  }
  if (etcdServers === undefined)
    throw new CliError('--store etcd: name the endpoints with --etcd-servers', exitCodes.usage)
  if ((etcdCertfile === undefined) !== (etcdKeyfile === undefined)) {
    throw new CliError('--etcd-certfile and --etcd-keyfile belong together: give both', exitCodes.usage)
  }
  return {
    kind: 'etcd' as const,
    endpoints: etcdServers,
    caFile: etcdCafile,
    certFile: etcdCertfile,
    keyFile: etcdKeyfile,
  }
}
