import { isJsonObject } from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { jsonValue } from '../generate/json.ts'
import { listOf, shortName, text } from '../generate/text.ts'
import type { FuzzServer } from './fuzz-server.ts'

interface SchemaNode {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly allOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly additionalProperties?: SchemaNode | boolean
}

/** One operation that the server says it has. */
export interface Operation {
  readonly method: string
  /** With `{name}` and `{namespace}` in it. */
  readonly path: string
  readonly query: readonly { readonly name: string; readonly type: string }[]
  readonly bodySchema: SchemaNode | undefined
  readonly groupVersionKind:
    | { readonly group: string; readonly version: string; readonly kind: string }
    | undefined
  readonly schemas: Readonly<Record<string, SchemaNode>>
}

const get = (target: string) => ({ method: 'GET', target, headers: {}, body: '', as: 'admin' })
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** All operations of all documents of `/openapi/v3`. */
export async function readOperations(server: FuzzServer): Promise<readonly [Operation, ...Operation[]]> {
  const { text: index } = await server.send(get('/openapi/v3'))
  const found: Operation[] = []
  for (const name of Object.keys((JSON.parse(index) as { paths: object }).paths)) {
    const { text: document } = await server.send(get(`/openapi/v3/${name}`))
    found.push(...operationsIn(JSON.parse(document)))
  }
  return found as unknown as [Operation, ...Operation[]]
}

function operationsIn(document: Record<string, unknown>): Operation[] {
  const { components } = document as { components?: { schemas?: Record<string, SchemaNode> } }
  return Object.entries((document['paths'] ?? {}) as Record<string, Record<string, unknown>>).flatMap(
    ([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        if (!isJsonObject(operation)) return []
        const parameters = [item['parameters'], operation['parameters']].flatMap((each) =>
          Array.isArray(each) ? each.filter(isJsonObject) : [],
        )
        return [
          {
            method: method.toUpperCase(),
            path,
            query: parameters
              .filter((each) => each['in'] === 'query')
              .map((each) => ({
                name: String(each['name']),
                type: String((each['schema'] as SchemaNode | undefined)?.type),
              })),
            bodySchema: bodySchemaOf(operation),
            groupVersionKind: operation['x-kubernetes-group-version-kind'] as Operation['groupVersionKind'],
            schemas: components?.schemas ?? {},
          },
        ]
      }),
  )
}

function bodySchemaOf(operation: Record<string, unknown>): SchemaNode | undefined {
  const { content } = (operation['requestBody'] ?? {}) as {
    content?: Record<string, { schema?: SchemaNode }>
  }
  return Object.values(content ?? {})[0]?.schema
}

/** A value that fits a schema as far as the schema tells. */
export function valueFor(
  random: Random,
  schema: SchemaNode,
  schemas: Operation['schemas'],
  depth = 5,
): unknown {
  const resolved = resolve(schema, schemas)
  if (depth === 0) return undefined
  if (resolved.enum && chance(random, 0.9)) return resolved.enum[integer(random, resolved.enum.length)]
  switch (resolved.type) {
    case 'object':
      return objectFor(random, resolved, schemas, depth)
    case 'array':
      return listOf(random, 2, (each) => valueFor(each, resolved.items ?? {}, schemas, depth - 1))
    case 'integer':
      return pick(random, [0, 1, -1, 7, 2 ** 31, 2 ** 53, integer(random, 1000)])
    case 'number':
      return pick(random, [0, 0.5, -1])
    case 'boolean':
      return chance(random, 0.5)
    case 'string':
      return stringFor(random, resolved.format)
    default:
      return jsonValue(random, 1)
  }
}

function resolve(schema: SchemaNode, schemas: Operation['schemas']): SchemaNode {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref
  return reference === undefined ? schema : (schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {})
}

function objectFor(
  random: Random,
  schema: SchemaNode,
  schemas: Operation['schemas'],
  depth: number,
): unknown {
  const entries = Object.entries(schema.properties ?? {})
    .filter(() => chance(random, depth > 3 ? 0.6 : 0.3))
    .map(([field, each]) => [field, valueFor(random, each, schemas, depth - 1)] as const)
  const { additionalProperties: more } = schema
  const extra = isJsonObject(more)
    ? listOf(random, 2, (each) => [shortName(each), valueFor(each, more, schemas, depth - 1)] as const)
    : []
  return Object.fromEntries([...entries, ...extra].filter(([, value]) => value !== undefined))
}

function stringFor(random: Random, format: string | undefined): string {
  if (format === 'date-time')
    return pick(random, ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z', '0000-00-00', text(random)])
  if (format === 'byte') return pick(random, ['', 'YQ==', '!', text(random)])
  return chance(random, 0.7) ? shortName(random) : text(random)
}
