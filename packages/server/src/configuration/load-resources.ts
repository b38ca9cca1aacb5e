import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ResourceDefinition } from '@strata/api'
import { ConfigurationProblem } from './configuration-problem.ts'
import { importFile } from './import-file.ts'

/** Loads kinds from the modules of `--resources`. */
export async function loadResources(
  modules: readonly string[],
  release: string | undefined,
): Promise<readonly ResourceDefinition[]> {
  const all: ResourceDefinition[] = []
  for (const path of modules) all.push(...(await loadModule(path)))
  const known = new Set(all.flatMap((each) => Object.keys(each.releases ?? {})))
  if (release !== undefined && !known.has(release)) {
    const names = [...known].join(', ')
    throw new ConfigurationProblem(
      `--release ${release}: no kind has this release; ${names === '' ? 'load kinds that have releases with --resources' : `known: ${names}`}`,
    )
  }
  return all
}

async function loadModule(path: string): Promise<readonly ResourceDefinition[]> {
  const file = resolve(path)
  if (!existsSync(file)) throw new ConfigurationProblem(`--resources ${path}: there is no such file`)
  const module: unknown = await importFile(file).catch((error: unknown) => {
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    throw new ConfigurationProblem(`--resources ${path}: cannot be loaded as a module: ${why}`, {
      cause: error,
    })
  })
  const { resources } = module as { resources?: unknown }
  if (!Array.isArray(resources)) {
    throw new ConfigurationProblem(
      `--resources ${path}: the module must export an array named "resources", made with defineResource`,
    )
  }
  return resources as ResourceDefinition[]
}
