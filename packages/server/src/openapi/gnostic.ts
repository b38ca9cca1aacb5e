import type { Json } from './components.ts'
import {
  type ByteText,
  bytesOf,
  countField,
  doubleField,
  flagField,
  messageField,
  messageHead,
  textField,
  textFields,
} from './protobuf-fields.ts'

/**
 * OpenAPI v2 documents as gnostic's message `openapi.v2.Document`, the only form that client-go reads. This is the frame around
 * paths, definitions and parameters, whose lengths are given.
 */
export function gnosticFrame(
  frame: Json,
  lengths: Readonly<Record<'paths' | 'definitions' | 'parameters', number>>,
) {
  const info = frame['info'] as Json
  return {
    beforePaths: bytesOf(
      textField(1, frame['swagger']) +
        messageField(2, [textField(1, info['title']), textField(2, info['version'])]) +
        messageHead(8, lengths.paths),
    ),
    beforeDefinitions: bytesOf(messageHead(9, lengths.definitions)),
    beforeParameters: bytesOf(lengths.parameters === 0 ? '' : messageHead(10, lengths.parameters)),
    end: bytesOf(
      [
        ...listOf(12, frame['security'], (requirement) =>
          named(1, requirement, (names) => [textFields(1, names)]),
        ),
        messageField(13, named(1, frame['securityDefinitions'], security)),
      ].join(''),
    ),
  }
}

export function gnosticPath(name: string, item: Json): Buffer {
  return bytesOf(entry(2, name, pathItem(item)))
}

export function gnosticDefinition(name: string, schema: Json): Buffer {
  return bytesOf(entry(1, name, schemaOf(schema)))
}

export function gnosticParameter(name: string, value: Json): Buffer {
  return bytesOf(entry(1, name, parameter(value)))
}

/** Entries of a map: name and value. */
function named(field: number, values: unknown, write: (value: Json) => readonly ByteText[]): ByteText[] {
  return Object.entries((values ?? {}) as Record<string, Json>).map(([name, value]) =>
    entry(field, name, write(value)),
  )
}

function entry(field: number, name: string, value: readonly ByteText[]): ByteText {
  return messageField(field, [textField(1, name), messageField(2, value)])
}

function listOf(field: number, values: unknown, write: (value: Json) => readonly ByteText[]): ByteText[] {
  return ((values ?? []) as readonly Json[]).map((value) => messageField(field, write(value)))
}

function security({ type, name, in: place, description }: Json): ByteText[] {
  return [
    messageField(2, [textField(1, type), textField(2, name), textField(3, place), textField(4, description)]),
  ]
}

/** Values of any shape are YAML text, and JSON is YAML. */
const anyOf = (value: unknown): ByteText => textField(2, JSON.stringify(value))

function extensions(field: number, value: Json): ByteText[] {
  return Object.entries(value)
    .filter(([key]) => key.startsWith('x-'))
    .map(([key, each]) => messageField(field, [textField(1, key), messageField(2, [anyOf(each)])]))
}

const methods: Readonly<Record<string, number>> = {
  ...{ get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 },
}

function pathItem(item: Json): ByteText[] {
  return [
    ...Object.entries(methods).flatMap(([method, field]) =>
      item[method] ? [messageField(field, operation(item[method] as Json))] : [],
    ),
    ...listOf(9, item['parameters'], parameterOrReference),
  ]
}

function operation(value: Json): ByteText[] {
  return [
    textFields(1, value['tags']),
    textField(3, value['description']),
    textField(5, value['operationId']),
    textFields(6, value['produces']),
    textFields(7, value['consumes']),
    ...listOf(8, value['parameters'], parameterOrReference),
    messageField(9, named(1, value['responses'], response)),
    textFields(10, value['schemes']),
    ...extensions(13, value),
  ]
}

function response({ description, schema }: Json): ByteText[] {
  const content = schema ? [messageField(2, [messageField(1, schemaOf(schema as Json))])] : []
  return [messageField(1, [textField(1, description), ...content])]
}

function parameterOrReference(value: Json): ByteText[] {
  const { $ref } = value
  return [$ref === undefined ? messageField(1, parameter(value)) : messageField(2, [textField(1, $ref)])]
}

function parameter(value: Json): ByteText[] {
  const { name, in: place, description, required, type, format, uniqueItems } = value
  if (place === 'body') {
    const body = [
      textField(1, description),
      textField(2, name),
      textField(3, place),
      flagField(4, required),
      messageField(5, schemaOf(value['schema'] as Json)),
    ]
    return [messageField(1, body)]
  }
  const common = [flagField(1, required), textField(2, place), textField(3, description), textField(4, name)]
  // Only query parameters have a field for empty values, which shifts the following field numbers by one.
  const rest =
    place === 'query'
      ? messageField(3, [...common, textField(6, type), textField(7, format), flagField(20, uniqueItems)])
      : messageField(place === 'header' ? 1 : 4, [
          ...[...common, textField(5, type), textField(6, format), flagField(19, uniqueItems)],
        ])
  return [messageField(2, [rest])]
}

function schemaOf(schema: Json): ByteText[] {
  const { additionalProperties, items, properties, type, externalDocs, example } = schema
  return [
    textField(1, schema['$ref']),
    textField(2, schema['format']),
    textField(3, schema['title']),
    textField(4, schema['description']),
    doubleField(6, schema['multipleOf']),
    doubleField(7, schema['maximum']),
    flagField(8, schema['exclusiveMaximum']),
    doubleField(9, schema['minimum']),
    flagField(10, schema['exclusiveMinimum']),
    countField(11, schema['maxLength']),
    countField(12, schema['minLength']),
    textField(13, schema['pattern']),
    countField(14, schema['maxItems']),
    countField(15, schema['minItems']),
    flagField(16, schema['uniqueItems']),
    countField(17, schema['maxProperties']),
    countField(18, schema['minProperties']),
    textFields(19, schema['required']),
    ...((schema['enum'] ?? []) as readonly unknown[]).map((each) => messageField(20, [anyOf(each)])),
    ...(additionalProperties === true ? [messageField(21, [flagField(2, true)])] : []),
    ...(typeof additionalProperties === 'object'
      ? [messageField(21, [messageField(1, schemaOf(additionalProperties as Json))])]
      : []),
    ...(type ? [messageField(22, [textField(1, type)])] : []),
    ...(items ? [messageField(23, [messageField(1, schemaOf(items as Json))])] : []),
    ...(properties ? [messageField(25, named(1, properties, schemaOf))] : []),
    ...(externalDocs ? [messageField(29, externalDocsOf(externalDocs as Json))] : []),
    ...(example === undefined ? [] : [messageField(30, [anyOf(example)])]),
    ...extensions(31, schema),
  ]
}

function externalDocsOf({ description, url }: Json): ByteText[] {
  return [textField(1, description), textField(2, url)]
}
