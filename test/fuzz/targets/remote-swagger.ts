import { mergeSwagger, readSwagger, swaggerPieces, UnusableDocument } from '@strata/server/readers'
import { chance } from '@strata/world'
import { jsonValue, mutateJson } from '../generate/json.ts'
import { expect, pureTarget, shown } from '../target.ts'

type Json = Readonly<Record<string, unknown>>

const mine = { group: 'shop.dev', versionName: 'v1' }
const root = '/apis/shop.dev/v1/'
const kinds = 'x-kubernetes-group-version-kind'
const kind = { group: 'shop.dev', version: 'v1', kind: 'Thing' }
const ref = (name: string): Json => ({ $ref: `#/definitions/${name}` })
const document = {
  swagger: '2.0',
  paths: {
    [`${root}things`]: {
      post: {
        ...{
          consumes: ['application/json'],
          produces: ['application/json'],
          operationId: 'create',
          tags: ['a'],
        },
        parameters: [
          { name: 'body', in: 'body', schema: ref('Thing') },
          { name: 'limit', in: 'query', type: 'integer', uniqueItems: true },
          { $ref: '#/parameters/pretty' },
        ],
        responses: { 200: { description: 'OK', schema: ref('List') } },
        ...{ 'x-kubernetes-action': 'post', [kinds]: kind },
      },
    },
    '/api/v1/pods': { get: { responses: { 200: { schema: ref('Pod') } } } },
  },
  definitions: {
    Thing: {
      ...{ type: 'object', required: ['size'], [kinds]: [kind, { group: '', version: 'v1', kind: 'Pod' }] },
      properties: {
        size: { type: 'integer', format: 'int32', minimum: 1, maxLength: 3, enum: [1, 2] },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        self: { description: 'Itself.', ...ref('Thing') },
      },
    },
    List: { properties: { items: { type: 'array', items: ref('Thing') } } },
    Pod: { type: 'object' },
  },
  parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
}

/** The rules by which kubectl reads all definitions of a document, or none. */
function checkSchema(schema: Json, definitions: Json): void {
  const { $ref, type, properties, items, additionalProperties } = schema
  const wrong = (why: string) => () => `${why}: ${shown(schema)}`
  if ($ref !== undefined) {
    expect(Object.hasOwn(definitions, String($ref).slice('#/definitions/'.length)), wrong('dangling'))
    expect(type === undefined && properties === undefined, wrong('more than a reference'))
  }
  const types = [undefined, 'object', 'array', 'string', 'number', 'integer', 'boolean']
  expect(types.includes(type as string), wrong('type'))
  expect((type === 'array') === (items !== undefined), wrong('items'))
  const inner = [items, additionalProperties, ...Object.values((properties ?? {}) as Json)]
  for (const each of inner) if (typeof each === 'object') checkSchema(each as Json, definitions)
  for (const { group, version } of (schema[kinds] ?? []) as readonly Json[])
    expect(group === mine.group && version === mine.versionName, wrong('another version'))
}

export const remoteSwagger = pureTarget<{ readonly document: unknown }>({
  name: 'remote-swagger',
  about: 'OpenAPI v2 documents of other servers: what is taken is about one version, and kubectl can read it',
  share: 4,
  open: () => ({
    generate: (random) => {
      let given: unknown = document
      while (chance(random, 0.8)) given = mutateJson(random, given, () => jsonValue(random))
      return { document: given }
    },
    check: ({ document: given }) => {
      let found: ReturnType<typeof readSwagger>
      try {
        found = readSwagger(given, mine)
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error
      }
      if (!found) return 'refused'
      const { paths, definitions } = found
      expect(
        Object.keys(paths).every((path) => path.startsWith(root)),
        () => `another path: ${shown(paths)}`,
      )
      for (const schema of Object.values(definitions)) checkSchema(schema as Json, definitions)
      const merged = mergeSwagger((name) => (name === 'Thing' ? { type: 'string' } : undefined), [found])
      for (const schema of Object.values(merged.definitions)) {
        checkSchema(schema as Json, { ...merged.definitions, Thing: {} })
      }
      swaggerPieces('protobuf', merged)
      return 'accepted'
    },
  }),
})
