import type { Json } from './components.ts'

/** The parts of an OpenAPI v2 document, by name. */
export interface SwaggerParts {
  readonly paths: Json
  readonly definitions: Json
  /** Parameters that several operations refer to. */
  readonly parameters?: Json
}

/** Converts OpenAPI v3 documents to v2, for older clients. v2 is less expressive: no defaults, no alternatives, no null. */
export function swaggerParts(documents: readonly Json[]): SwaggerParts {
  const paths: Record<string, Json> = {}
  const definitions: Record<string, Json> = {}
  for (const document of documents) {
    for (const [path, item] of entriesOf(document['paths'])) paths[path] = swaggerPath(item as Json)
    for (const [name, schema] of entriesOf((document['components'] as Json)['schemas'])) {
      definitions[name] = withAllKinds(swaggerSchema(schema as Json), definitions[name])
    }
  }
  return { paths, definitions }
}

const entriesOf = (value: unknown): [string, unknown][] => Object.entries((value ?? {}) as Json)

const kinds = 'x-kubernetes-group-version-kind'

/** A type of every group (DeleteOptions) is one definition with the kinds of all of them. */
function withAllKinds(schema: Json, before: Json | undefined): Json {
  const own = (schema[kinds] ?? []) as readonly Json[]
  const others = (before?.[kinds] ?? []) as readonly Json[]
  if (others.length === 0) return schema
  const fresh = own.filter((kind) => !others.some((each) => JSON.stringify(each) === JSON.stringify(kind)))
  return { ...schema, [kinds]: [...others, ...fresh] }
}

/** `taken` are the media types that operations without a body list as accepted. */
export function swaggerPath(item: Json, taken: readonly string[] = ['*/*']): Json {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      key === 'parameters' ? (value as readonly Json[]).map(parameter) : operation(value as Json, taken),
    ]),
  )
}

function operation(
  { requestBody, parameters, responses, tags, description, operationId, ...rest }: Json,
  taken: readonly string[],
): Json {
  const body = requestBody as { content: Json; required?: boolean } | undefined
  const produced = entriesOf(responses).flatMap(([, each]) =>
    Object.keys(((each as Json)['content'] ?? {}) as Json),
  )
  const [bodyContent] = Object.values(body?.content ?? {}) as { schema: Json }[]
  return {
    description,
    consumes: body ? Object.keys(body.content) : taken,
    produces: [...new Set(produced)],
    schemes: ['https'],
    tags,
    operationId,
    parameters: [
      ...(body && bodyContent
        ? [
            {
              name: 'body',
              in: 'body',
              ...(body.required ? { required: true } : {}),
              schema: swaggerSchema(bodyContent.schema),
            },
          ]
        : []),
      ...((parameters ?? []) as readonly Json[]).map(parameter),
    ],
    responses: Object.fromEntries(
      entriesOf(responses).map(([code, each]) => {
        const { description: words, content } = each as { description: string; content?: Json }
        const [first] = Object.values(content ?? {}) as { schema: Json }[]
        return [code, { description: words, ...(first ? { schema: swaggerSchema(first.schema) } : {}) }]
      }),
    ),
    ...rest,
  }
}

function parameter({ schema, ...rest }: Json): Json {
  return { ...(schema as Json), ...rest }
}

/** Keywords that v2 does not have. */
const unknownToSwagger = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'not', 'allOf'])

export function swaggerSchema(schema: Json): Json {
  const [target] = (schema['allOf'] ?? []) as readonly Json[]
  const ref = schema['$ref'] ?? target?.['$ref']
  const unsaid = leftUnsaid(schema)
  const made: Record<string, unknown> = firstOfTypes(schema)
  for (const [key, value] of Object.entries(schema)) {
    if (unknownToSwagger.has(key) || key === '$ref' || unsaid.has(key)) continue
    if (key === 'properties') {
      made[key] = Object.fromEntries(
        Object.entries(value as Json).map(([field, each]) => [field, swaggerSchema(each as Json)]),
      )
    } else if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') {
      made[key] = swaggerSchema(value as Json)
    } else made[key] = value
  }
  return typeof ref === 'string'
    ? { ...made, $ref: ref.replace('#/components/schemas/', '#/definitions/') }
    : made
}

/** Keywords to omit, because clients that validate by v2 would refuse allowed values. */
function leftUnsaid(schema: Json): ReadonlySet<string> {
  if (schema['nullable']) return new Set(['type', 'properties', 'items', 'additionalProperties'])
  if (schema['x-kubernetes-int-or-string']) return new Set(['type'])
  return new Set(schema['x-kubernetes-preserve-unknown-fields'] ? ['properties', 'items'] : [])
}

/** A quantity is a string or a number. Clients that validate by v2 accept a number for a string. */
function firstOfTypes({ type, oneOf = [] }: Json): Record<string, unknown> {
  const alternatives = oneOf as readonly Json[]
  const areTypes = alternatives.every((each) => Object.keys(each).join() === 'type')
  return type === undefined && areTypes ? { ...alternatives[0] } : {}
}
