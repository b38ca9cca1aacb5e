import type { ContextsFlags } from '../contexts/choose-contexts.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { StoreSource } from '../stored/observe-store.ts'
import type { StoreSourceFlags } from './store-source.ts'

/** Refuses one store for several clusters: each would be told what another one stores. */
export function requireOneStore(
  source: StoreSource | undefined,
  flags: ContextsFlags & Pick<StoreSourceFlags, 'offline'>,
): void {
  const isSeveral = flags.allContexts || flags.contexts !== undefined
  if (isSeveral && (source !== undefined || flags.offline)) throw new CliError(oneStore, exitCodes.usage)
}

const oneStore =
  'a store is of one cluster: give --contexts or --all-contexts without --etcd-servers, --etcd-snapshot and --offline'
