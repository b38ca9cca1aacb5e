import type { ClusterFlags } from '../connection/cluster-client.ts'
import { loadFleetContexts } from '../connection/fleet/fleet-contexts.ts'
import { kubeconfigSource, loadContextNames } from '../connection/kubeconfig.ts'
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

/** What tells whether two contexts are of one cluster; undefined where it cannot be read. */
export interface ContextSight {
  /** What the kubeconfig states. */
  readonly fleet?: string | undefined
  /** The uid of the namespace kube-system. */
  readonly uid?: string | undefined
}

/**
 * The clusters that the flags name; undefined without --contexts and --all-contexts. Contexts that differ only in the server
 * may be servers of one fleet. --all-contexts asks that fleet once, under the name of the first, if they are known to be:
 * otherwise a second cluster with the same authority and user would be missing in the report.
 */
export async function chooseContexts(
  flags: Pick<ClusterFlags, 'kubeconfig' | 'context'> & ContextsFlags,
  { environment }: Pick<CliContext, 'environment'>,
  look: (name: string) => Promise<ContextSight>,
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
    const [, ...alike] = (await loadFleetContexts(source, label)).filter((name) => !seen.has(name))
    const fleet = [label, ...(await sameCluster(label, alike, look))]
    for (const name of fleet) seen.add(name)
    chosen.push({ label, contexts: fleet })
  }
  return chosen
}

async function sameCluster(
  label: string,
  others: readonly string[],
  look: (name: string) => Promise<ContextSight>,
): Promise<readonly string[]> {
  if (others.length === 0) return []
  const [first, ...sights] = await Promise.all([label, ...others].map(look))
  return others.filter((_, index) => first !== undefined && isOneCluster(first, sights[index]))
}

function isOneCluster(one: ContextSight, other: ContextSight = {}): boolean {
  const isStated = one.fleet !== undefined && one.fleet === other.fleet
  return isStated || (one.uid !== undefined && one.uid === other.uid)
}

const usage = (message: string): CliError => new CliError(message, exitCodes.usage)
