import { type CustomResourceDefinition, customResourceDefinitions, groupResourceText } from '@strata/api'
import { findOrigin } from '@strata/controllers'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { chooseResources } from './choose-resources.ts'
import type { Cluster } from './cluster.ts'

/** Finds CRDs by their name, or by a name of their resource. */
export async function chooseDefinitions(
  { client, discovery }: Pick<Cluster, 'client' | 'discovery'>,
  names: readonly string[],
  all: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (all && names.length > 0) throw new CliError('name CRDs or use --all, not both', exitCodes.usage)
  if (!all && names.length === 0) throw new CliError('name CRDs, or use --all', exitCodes.usage)
  const { items } = await client.resource(customResourceDefinitions, 'v1').list({}, signal)
  if (all) return items.map(nameOf).sort()
  return names.map((name) => {
    const found = items.filter((each) => isCalled(each, name.toLowerCase())).map(nameOf)
    const [first, ...others] = found.includes(name) ? [name] : found
    if (first !== undefined && others.length === 0) return first
    const served = first === undefined ? chooseResources([name], discovery.resources) : undefined
    const [resource] = served?.kind === 'chosen' ? served.resources : []
    // A name that only discovery can resolve, for example one with a version.
    const full = resource && groupResourceText(resource)
    if (full !== undefined && items.some((each) => nameOf(each) === full)) return full
    const isAggregated = resource && findOrigin(resource, discovery.resources).kind !== 'none'
    throw whyNot(JSON.stringify(name), found, full, isAggregated)
  })
}

function whyNot(
  name: string,
  found: readonly string[],
  served: string | undefined,
  isAggregated = false,
): CliError {
  if (isAggregated) {
    return new CliError(
      `${name}: aggregated servers store ${served}, and no CRD of this cluster lists its versions: this command works on CRDs only. "strata verify ${served}" shows what is stored`,
      exitCodes.notSeen,
    )
  }
  if (served !== undefined) {
    return new CliError(
      `${name}: ${served} has no CRD (built in or aggregated), and this command works on CRDs only`,
      exitCodes.notSeen,
    )
  }
  if (found.length > 0) {
    return new CliError(
      `${name}: it may be any of ${found.join(', ')}; give one of these names`,
      exitCodes.notSeen,
    )
  }
  return new CliError(`${name}: no CRD has this name; "kubectl get crd" lists them`, exitCodes.notSeen)
}

const nameOf = ({ metadata: { name = '' } }: CustomResourceDefinition): string => name

function isCalled(definition: CustomResourceDefinition, name: string): boolean {
  const { names } = definition.spec
  const called = [nameOf(definition), names.plural, names.singular, names.kind.toLowerCase()]
  return [...called, ...(names.shortNames ?? [])].includes(name)
}
