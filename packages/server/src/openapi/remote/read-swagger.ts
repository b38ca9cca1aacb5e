import type { Json } from '../components.ts'
import type { SwaggerParts } from '../swagger-parts.ts'
import type { GroupVersionName } from '../type-names.ts'
import {
  objectOf,
  type Reading,
  type ReferenceRoot,
  readParameter,
  readPath,
  readSchema,
} from './read-parts.ts'

/** The parts of a version that another server serves. */
export type RemoteSwagger = Required<SwaggerParts>

/**
 * What an OpenAPI v2 document of another server says about one version: its paths, and the definitions that they refer to. The
 * server may say what it likes about other versions: none of it is taken. Undefined if nothing is left.
 */
export function readSwagger(document: unknown, own: GroupVersionName): RemoteSwagger | undefined {
  const { swagger, paths, ...all } = objectOf(document)
  if (swagger !== '2.0') return undefined
  const wanted = new Set<string>()
  const reading: Reading = {
    refer: (root, name) => {
      if (!Object.hasOwn(objectOf(all[root]), name)) return undefined
      const reference = `#/${root}/${name}`
      wanted.add(reference)
      return reference
    },
    mayName: ({ group, version }) => group === own.group && version === own.versionName,
  }
  const prefix = `/apis/${own.group}/${own.versionName}/`
  const mine = Object.entries(objectOf(paths)).filter(([path]) => path.startsWith(prefix))
  if (mine.length === 0) return undefined
  const found = { paths: mine.map(([path, item]) => [path, readPath(item, reading)] as const) }
  const read: Record<ReferenceRoot, [string, Json][]> = { definitions: [], parameters: [] }
  // The set grows while it is walked: what is read refers to more.
  for (const reference of wanted) {
    const [, root = '', name = ''] = /^#\/(\w+)\/(.*)$/s.exec(reference) ?? []
    const given = objectOf(all[root])[name]
    if (root === 'definitions') read.definitions.push([name, readSchema(given, reading)])
    else read.parameters.push([name, readParameter(given, reading) ?? unknownParameter])
  }
  return {
    paths: Object.fromEntries(found.paths),
    definitions: Object.fromEntries(read.definitions),
    parameters: Object.fromEntries(read.parameters),
  }
}

/** In place of one that cannot be read, since others refer to it already. */
const unknownParameter: Json = { name: 'unknown', in: 'query', type: 'string' }

/** The same parts with other names. */
export function renameParts(
  { paths, definitions, parameters }: RemoteSwagger,
  newName: (root: ReferenceRoot, name: string) => string,
): RemoteSwagger {
  const reading: Reading = {
    refer: (root, name) => `#/${root}/${newName(root, name)}`,
    mayName: () => true,
  }
  const map = (given: Json, each: (name: string, value: unknown) => [string, Json]): Json =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => each(name, value)))
  return {
    paths: map(paths, (path, item) => [path, readPath(item, reading)]),
    definitions: map(definitions, (name, schema) => [
      newName('definitions', name),
      readSchema(schema, reading),
    ]),
    parameters: map(parameters, (name, each) => [
      newName('parameters', name),
      readParameter(each, reading) ?? unknownParameter,
    ]),
  }
}
