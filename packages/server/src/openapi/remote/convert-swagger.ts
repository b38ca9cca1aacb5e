import { type Json, refTo } from '../components.ts'
import { objectOf } from './read-parts.ts'
import type { RemoteSwagger } from './read-swagger.ts'

/** The OpenAPI v3 document of a server that has only OpenAPI v2, as upstream makes it. v2 says less, so it is no equal. */
export function convertSwagger({ paths, definitions, parameters }: RemoteSwagger): Json {
  const map = (values: Json, each: (value: Json) => Json): Json =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, each(value as Json)]))
  const shared = map(parameters, parameterOf)
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: map(paths, ({ parameters: common, ...operations }) => ({
      ...map(operations, operationOf),
      ...(Array.isArray(common) ? { parameters: common.map(parameterOf) } : {}),
    })),
    components: {
      schemas: map(definitions, schemaOf),
      ...(Object.keys(shared).length > 0 ? { parameters: shared } : {}),
    },
  }
}

function operationOf({ consumes, produces, schemes: _, parameters, responses, ...rest }: Json): Json {
  const all = (parameters ?? []) as readonly Json[]
  const body = all.find((each) => each['in'] === 'body')
  const others = all.filter((each) => each !== body)
  const answers = Object.entries(objectOf(responses)).map(([code, each]) => {
    const { description, schema } = each as Json
    return [code, { description, ...(schema ? { content: contentOf(produces, schema as Json) } : {}) }]
  })
  return {
    ...rest,
    ...(others.length > 0 ? { parameters: others.map(parameterOf) } : {}),
    ...(body ? { requestBody: { content: contentOf(consumes, objectOf(body['schema'])) } } : {}),
    responses: Object.fromEntries(answers),
  }
}

/** Without media types there is no content: kubectl reads JSON. */
function contentOf(types: unknown, schema: Json): Json {
  const named = Array.isArray(types) && types.length > 0 ? types : ['application/json']
  const converted = schemaOf(schema)
  return Object.fromEntries(named.map((type) => [type, { schema: converted }]))
}

function parameterOf({ $ref, type, format, uniqueItems, schema, ...rest }: Json): Json {
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/parameters/', '#/components/parameters/') }
  const own = Object.entries({ type, format, uniqueItems }).filter(([, value]) => value !== undefined)
  return { ...rest, schema: schema ? schemaOf(schema as Json) : Object.fromEntries(own) }
}

function schemaOf({ $ref, properties, items, additionalProperties, ...rest }: Json): Json {
  if (typeof $ref === 'string') {
    const target = refTo($ref.slice('#/definitions/'.length))
    // Keywords beside a reference are ignored in v3, so it is wrapped.
    return Object.keys(rest).length === 0 ? target : { ...rest, allOf: [target] }
  }
  const fields = Object.entries(objectOf(properties)).map(([name, each]) => [name, schemaOf(each as Json)])
  return {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(items ? { items: schemaOf(items as Json) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object'
              ? schemaOf(additionalProperties as Json)
              : additionalProperties,
        }),
  }
}
