import { type CustomResourceDefinition, customResourceDefinitions, groupResourceText } from '@strata/api'
import { type Client, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import { sleep, type World } from '@strata/world'
import { decideDefinition, wantedDefinitions } from './definitions.ts'

export interface Installed {
  readonly name: string
  readonly did: 'create' | 'update' | 'nothing' | 'refuse'
  readonly because?: string
}

export interface InstallOptions {
  readonly world: Pick<World, 'clock' | 'log'>
  readonly client: Client
  readonly dryRun?: boolean
}

const attempts = 5
const establishedWithinMs = 30_000

/** Creates the CRDs of migration.k8s.io that the cluster lacks, and adds missing fields. Built-in kinds are left alone. */
export async function installDefinitions(
  { world, client, dryRun = false }: InstallOptions,
  signal: AbortSignal,
): Promise<readonly Installed[]> {
  const definitions = client.resource<CustomResourceDefinition>(customResourceDefinitions, 'v1')
  const { resources } = await client.discover(signal)
  const done: Installed[] = []
  for (const wanted of wantedDefinitions) {
    const name = wanted.metadata.name ?? ''
    const isServed = resources.some((each) => groupResourceText(each) === name)
    const result = await install({ definitions, wanted, isServed, dryRun }, signal)
    done.push({ name, ...result })
    if (result.did === 'create' && !dryRun) await established(world, definitions, name, signal)
    world.log.info('checked a CRD to install', { ...result, name })
  }
  return done
}

interface Install {
  readonly definitions: ResourceClient<CustomResourceDefinition>
  readonly wanted: CustomResourceDefinition
  readonly isServed: boolean
  readonly dryRun: boolean
}

async function install(
  { definitions, wanted, isServed, dryRun }: Install,
  signal: AbortSignal,
): Promise<Omit<Installed, 'name'>> {
  for (let attempt = 1; ; attempt++) {
    const found = await observe(definitions, wanted.metadata.name ?? '', signal)
    if (!found && isServed) return { did: 'nothing', because: 'it is built in' }
    const decision = decideDefinition(wanted, found)
    if (decision.do === 'nothing' || decision.do === 'refuse') {
      return { did: decision.do, because: decision.because }
    }
    if (dryRun) return { did: decision.do }
    try {
      if (decision.do === 'create') await definitions.create(decision.definition, signal)
      else await definitions.update(decision.definition, signal)
      return { did: decision.do }
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error
    }
  }
}

async function observe(
  definitions: ResourceClient<CustomResourceDefinition>,
  name: string,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | undefined> {
  try {
    return await definitions.get({ name }, signal)
  } catch (error) {
    if (isAbsence(error, definitions.address, name)) return undefined
    throw error
  }
}

async function established(
  { clock }: Pick<World, 'clock'>,
  definitions: ResourceClient<CustomResourceDefinition>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const endMs = clock.monotonicMs() + establishedWithinMs
  while (clock.monotonicMs() < endMs) {
    const found = await observe(definitions, name, signal)
    if (found?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True'))
      return
    await sleep(clock, 250, signal)
  }
}
