import type { Json } from './components.ts'
import { gnosticDefinition, gnosticFrame, gnosticPath } from './gnostic.ts'
import type { SwaggerParts } from './swagger-parts.ts'

export type SwaggerForm = 'json' | 'protobuf'

/** A named part of the document, as written there. */
interface Piece {
  readonly name: string
  /** Once there is a document: a view into it. A second copy would double the memory. */
  bytes: Uint8Array
}

export interface SwaggerPieces {
  readonly paths: readonly Piece[]
  readonly definitions: readonly Piece[]
}

const member = (name: string, value: unknown): Buffer =>
  Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)

const writers = {
  json: { path: member, definition: member },
  protobuf: { path: gnosticPath, definition: gnosticDefinition },
} as const

export function swaggerPieces(form: SwaggerForm, { paths, definitions }: SwaggerParts): SwaggerPieces {
  const { path, definition } = writers[form]
  const write = (values: Json, writer: (name: string, value: Json) => Buffer): readonly Piece[] =>
    Object.entries(values).map(([name, value]) => ({ name, bytes: writer(name, value as Json) }))
  return { paths: write(paths, path), definitions: write(definitions, definition) }
}

/** The single document of the whole API. The first piece of a name counts: no custom kind can redefine a built-in one. */
export function swaggerBody(form: SwaggerForm, release: string, all: readonly SwaggerPieces[]): Uint8Array {
  const paths = byName(all.flatMap((each) => each.paths))
  const definitions = byName(all.flatMap((each) => each.definitions))
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
  return join(form === 'json' ? inJson(frame, paths, definitions) : inProtobuf(frame, paths, definitions))
}

type Chunk = Piece | { readonly bytes: Uint8Array }

function inJson(frame: Json, paths: readonly Piece[], definitions: readonly Piece[]): Chunk[] {
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
    text(`},${member('securityDefinitions', securityDefinitions)},${member('security', security)}}`),
  ]
}

function inProtobuf(frame: Json, paths: readonly Piece[], definitions: readonly Piece[]): Chunk[] {
  const { beforePaths, beforeDefinitions, end } = gnosticFrame(frame, lengthOf(paths), lengthOf(definitions))
  return [{ bytes: beforePaths }, ...paths, { bytes: beforeDefinitions }, ...definitions, { bytes: end }]
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
