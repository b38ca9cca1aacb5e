import { type CustomResourceDefinition, customResourceDefinitions } from '@strata/api'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { Cluster } from './cluster.ts'

/** By the name of the definition, or as its instances are called. */
export async function chooseDefinitions(
  { client }: Cluster,
  names: readonly string[],
  all: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (all && names.length > 0) throw new CliError('name CRDs or use --all, not both', exitCodes.usage)
  if (!all && names.length === 0) throw new CliError('name CRDs, or use --all', exitCodes.usage)
  const { items } = await client.resource(customResourceDefinitions, 'v1').list({}, signal)
  if (all) return items.map(nameOf).sort()
  return names.map((name) => {
    const found = items.filter((each) => isCalled(each, name.toLowerCase()))
    const exact = found.find((each) => nameOf(each) === name)
    const chosen = exact ?? (found.length === 1 ? found[0] : undefined)
    if (chosen) return nameOf(chosen)
    const why =
      found.length === 0 ? 'no CRD has this name' : `it may be any of ${found.map(nameOf).join(', ')}`
    throw new CliError(`${JSON.stringify(name)}: ${why}; "kubectl get crd" lists them`, exitCodes.notSeen)
  })
}

const nameOf = ({ metadata: { name = '' } }: CustomResourceDefinition): string => name

function isCalled(definition: CustomResourceDefinition, name: string): boolean {
  const { names } = definition.spec
  const called = [nameOf(definition), names.plural, names.singular, names.kind.toLowerCase()]
  return [...called, ...(names.shortNames ?? [])].includes(name)
}
