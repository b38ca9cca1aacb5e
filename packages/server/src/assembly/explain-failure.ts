import { ConfigurationProblem, errorCode } from '../configuration/index.ts'
import { type StoreChoice, StoreLost, StoreUnavailable } from '../store/index.ts'
import type { ServeOptions } from './serve-options.ts'

export function explainListen({ bindAddress, securePort }: ServeOptions, error: unknown): unknown {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new ConfigurationProblem(
        `--secure-port ${securePort}: the port is in use by another process; choose another port`,
        { isTransient: true },
      )
    case 'EACCES':
      return new ConfigurationProblem(
        `--secure-port ${securePort}: this user has no permission to listen on the port; choose a port above 1023`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ConfigurationProblem(
        `--bind-address ${bindAddress}: not an address of this machine; choose one, for example 127.0.0.1 or 0.0.0.0`,
      )
    default:
      return error
  }
}

/** When a store cannot be opened, the usual cause is a wrong address or a wrong directory. */
export function explainStore(store: StoreChoice, error: unknown): unknown {
  if (error instanceof ConfigurationProblem) return error
  const why = error instanceof Error ? error.message : String(error)
  if (store.kind === 'etcd' && error instanceof StoreUnavailable) {
    return new ConfigurationProblem(`--etcd-servers ${store.endpoints.join(',')}: ${why}; is etcd running?`, {
      cause: error,
      isTransient: true,
    })
  }
  if (store.kind === 'sqlite') {
    const isTransient = !(error instanceof StoreLost)
    return new ConfigurationProblem(`--data-dir: ${why}`, { cause: error, isTransient })
  }
  return error
}
