import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiObject, isJsonObject, splitDocuments } from '@strata/api'
import { parseYaml } from '@strata/server/yaml'

export type Manifest = ApiObject & { readonly apiVersion: string; readonly kind: string }

/** The objects of a text in YAML or JSON, also those in a List. `source` names the text in errors. */
export function parseManifests(text: string, source: string): readonly Manifest[] {
  return splitDocuments(text).flatMap((document) => {
    const where = `${source}, line ${document.line}`
    const value = readDocument(document.text, where)
    const all = isList(value) ? (value['items'] as readonly unknown[]) : [value]
    return all.map((each) => checkManifest(each, where))
  })
}

/** The manifests of files and folders. */
export async function readManifests(paths: readonly string[]): Promise<readonly Manifest[]> {
  const found: Manifest[] = []
  for (const path of paths) {
    const files = (await stat(path)).isDirectory() ? await filesIn(path) : [path]
    for (const file of files) found.push(...parseManifests(await readFile(file, 'utf8'), file))
  }
  return found
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => /\.(?:ya?ml|json)$/i.test(name)).sort()
  if (names.length === 0) throw new TypeError(`${folder}: there is no .yaml, .yml or .json file in it`)
  return names.map((name) => join(folder, name))
}

function readDocument(text: string, where: string): unknown {
  try {
    return parseYaml(text).value
  } catch (cause) {
    throw new TypeError(`${where}: ${(cause as Error).message}`, { cause })
  }
}

const isList = (value: unknown): value is Record<string, unknown> =>
  isJsonObject(value) && String(value['kind']).endsWith('List') && Array.isArray(value['items'])

function checkManifest(value: unknown, where: string): Manifest {
  const missing = ['apiVersion', 'kind'].filter(
    (field) => !isJsonObject(value) || typeof value[field] !== 'string',
  )
  if (missing.length > 0)
    throw new TypeError(`${where}: not a manifest: it has no ${missing.join(' and no ')}`)
  if (typeof (value as Manifest).metadata?.name !== 'string') {
    throw new TypeError(`${where}: the ${(value as Manifest).kind} has no metadata.name`)
  }
  return value as Manifest
}
