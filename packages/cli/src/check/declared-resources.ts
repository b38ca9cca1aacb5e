import { apiVersionOf } from '@strata/api'
import type { DeclaredResource } from '@strata/insight'
import { parse } from 'yaml'
import { CliError } from '../output/errors.ts'
import { checkExits } from './exits.ts'

/** `deployments.apps=v1,v1beta2`; `configmaps=v1` for the core group. */
export function parseDeclared(text: string): DeclaredResource {
  const [name = '', versions, ...rest] = text.split('=')
  const names = (versions ?? '').split(',').filter((each) => each !== '')
  if (name === '' || versions === undefined || rest.length > 0 || names.length === 0) {
    throw mistyped(`--decodable ${JSON.stringify(text)}: write resource.group=v1,v2`)
  }
  return declare(name, names)
}

/** A file with the same, in YAML or JSON: `deployments.apps: [v1]`. */
export function readDeclaredFile(path: string, text: string): DeclaredResource[] {
  let content: unknown
  try {
    content = parse(text)
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    throw mistyped(`--decodable-file ${path}: ${why}`)
  }
  const isMapping = typeof content === 'object' && content !== null && !Array.isArray(content)
  const entries = isMapping ? Object.entries(content as object) : []
  if (entries.length === 0) {
    throw mistyped(`--decodable-file ${path}: write a mapping such as "deployments.apps: [v1, v1beta2]"`)
  }
  return entries.map(([name, versions]) => {
    if (Array.isArray(versions) && versions.every((each) => typeof each === 'string')) {
      return declare(name, versions)
    }
    throw mistyped(`--decodable-file ${path}: ${name}: give a list of versions, such as [v1, v2]`)
  })
}

/** Joins the versions of a resource that is declared more than once. */
export function mergeDeclared(all: readonly DeclaredResource[]): DeclaredResource[] {
  const merged = new Map<string, DeclaredResource>()
  for (const each of all) {
    const key = `${each.group}/${each.resource}`
    const before = merged.get(key)?.decodableVersions ?? []
    merged.set(key, {
      ...each,
      decodableVersions: [...new Set([...before, ...each.decodableVersions])].sort(),
    })
  }
  return [...merged.values()]
}

function declare(name: string, versions: readonly string[]): DeclaredResource {
  const dot = name.indexOf('.')
  const group = dot < 0 ? '' : name.slice(dot + 1)
  return {
    group,
    resource: dot < 0 ? name : name.slice(0, dot),
    decodableVersions: versions.map((each) => (each.includes('/') ? each : apiVersionOf(group, each))),
  }
}

const mistyped = (message: string): CliError => new CliError(message, checkExits.usage)
