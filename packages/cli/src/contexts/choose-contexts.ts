import type { ClusterFlags } from '../connection/cluster-client.ts'
import { kubeconfigSource, loadContextNames, loadFleetContexts } from '../connection/kubeconfig.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** The flags that ask several clusters. Without them, --context names servers of one fleet. */
export interface ContextsFlags {
  readonly contexts?: readonly string[] | undefined
  readonly allContexts?: boolean | undefined
}

/** One cluster, and the contexts of its servers. */
export interface ChosenCluster {
  readonly label: string
  readonly contexts: readonly string[]
}

/**
 * The clusters that the flags name; undefined without --contexts and --all-contexts. Contexts that differ only in the server
 * are servers of one fleet: --all-contexts asks that fleet once, under the name of the first.
 */
export async function chooseContexts(
  flags: Pick<ClusterFlags, 'kubeconfig' | 'context'> & ContextsFlags,
  { environment }: Pick<CliContext, 'environment'>,
): Promise<readonly ChosenCluster[] | undefined> {
  const { contexts = [], allContexts = false } = flags
  if (contexts.length === 0 && !allContexts) return undefined
  if (contexts.length > 0 && allContexts) throw usage('give --contexts or --all-contexts, not both')
  if (flags.context.length > 0)
    throw usage('--context names servers of one cluster: give it, or --contexts, or --all-contexts')
  const source = kubeconfigSource(flags.kubeconfig, environment)
  if (!allContexts) return [...new Set(contexts)].map((label) => ({ label, contexts: [label] }))
  const chosen: ChosenCluster[] = []
  const seen = new Set<string>()
  for (const label of await loadContextNames(source)) {
    if (seen.has(label)) continue
    const fleet = (await loadFleetContexts(source, label)).filter((name) => !seen.has(name))
    for (const name of fleet) seen.add(name)
    chosen.push({ label, contexts: fleet })
  }
  return chosen
}

const usage = (message: string): CliError => new CliError(message, exitCodes.usage)
