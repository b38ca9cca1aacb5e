import type { Json } from './components.ts'
import { gnosticDefinition, gnosticFrame, gnosticParameter, gnosticPath } from './gnostic.ts'
import type { SwaggerParts } from './swagger-parts.ts'

export type SwaggerForm = 'json' | 'protobuf'

/** A named part of the document, as written there. */
export interface Piece {
  readonly name: string
  /** Once there is a document: a view into it. A second copy would double the memory. */
  bytes: Uint8Array
}

export interface SwaggerPieces {
  readonly paths: readonly Piece[]
  readonly definitions: readonly Piece[]
  readonly parameters: readonly Piece[]
}

const member = (name: string, value: unknown): Buffer =>
  Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)

const writers = {
  json: { path: member, definition: member, parameter: member },
  protobuf: { path: gnosticPath, definition: gnosticDefinition, parameter: gnosticParameter },
} as const

export function swaggerPieces(
  form: SwaggerForm,
  { paths, definitions, parameters = {} }: SwaggerParts,
): SwaggerPieces {
  const { path, definition, parameter } = writers[form]
  const write = (values: Json, writer: (name: string, value: Json) => Buffer): readonly Piece[] =>
    Object.entries(values).map(([name, value]) => ({ name, bytes: writer(name, value as Json) }))
  return {
    paths: write(paths, path),
    definitions: write(definitions, definition),
    parameters: write(parameters, parameter),
  }
}

/** The value of a piece of the form `json`. */
export function parsePiece({ name, bytes }: Piece): Json {
  return JSON.parse(`{${Buffer.from(bytes)}}`)[name]
}

/** The single document of the whole API. The first piece of a name counts: no custom kind can redefine a built-in one. */
export function swaggerBody(form: SwaggerForm, release: string, all: readonly SwaggerPieces[]): Uint8Array {
  const pieces: SwaggerPieces = {
    paths: byName(all.flatMap((each) => each.paths)),
    definitions: byName(all.flatMap((each) => each.definitions)),
    parameters: byName(all.flatMap((each) => each.parameters)),
  }
  const frame = {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: release },
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  }
  return join(form === 'json' ? inJson(frame, pieces) : inProtobuf(frame, pieces))
}

type Chunk = Piece | { readonly bytes: Uint8Array }

function inJson(frame: Json, { paths, definitions, parameters }: SwaggerPieces): Chunk[] {
  const { swagger, info, securityDefinitions, security } = frame
  const text = (words: string): Chunk => ({ bytes: Buffer.from(words) })
  const comma = text(',')
  const list = (pieces: readonly Piece[]): Chunk[] =>
    pieces.flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece]))
  return [
    text(`{${member('swagger', swagger)},${member('info', info)},"paths":{`),
    ...list(paths),
    text('},"definitions":{'),
    ...list(definitions),
    ...(parameters.length === 0 ? [] : [text('},"parameters":{'), ...list(parameters)]),
    text(`},${member('securityDefinitions', securityDefinitions)},${member('security', security)}}`),
  ]
}

function inProtobuf(frame: Json, { paths, definitions, parameters }: SwaggerPieces): Chunk[] {
  const { beforePaths, beforeDefinitions, beforeParameters, end } = gnosticFrame(frame, {
    paths: lengthOf(paths),
    definitions: lengthOf(definitions),
    parameters: lengthOf(parameters),
  })
  return [
    ...[{ bytes: beforePaths }, ...paths, { bytes: beforeDefinitions }, ...definitions],
    ...[{ bytes: beforeParameters }, ...parameters, { bytes: end }],
  ]
}

function byName(pieces: readonly Piece[]): readonly Piece[] {
  const found = new Map<string, Piece>()
  for (const piece of pieces) if (!found.has(piece.name)) found.set(piece.name, piece)
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function join(chunks: readonly Chunk[]): Uint8Array {
  const body = Buffer.allocUnsafe(lengthOf(chunks))
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk.bytes, at)
    const end = at + chunk.bytes.length
    if ('name' in chunk) chunk.bytes = body.subarray(at, end)
    at = end
  }
  return body
}
