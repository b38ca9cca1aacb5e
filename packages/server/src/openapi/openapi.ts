import { versionInfo } from '../discovery/index.ts'
import type { Json } from './components.ts'
import type { DescribableApi, DescribableResource, DescribableRoutes } from './describable.ts'
import { GroupVersion, Library } from './group-version.ts'
import { type GroupVersionResources, groupVersionDocument } from './group-version-document.ts'
import { documentOf, hashed, type OpenApiDocument } from './openapi-document.ts'
import { RemoteVersions } from './remote/remote-versions.ts'
import { rootDocuments } from './root-documents.ts'
import { swaggerParts } from './swagger-parts.ts'
import {
  type Piece,
  parsePiece,
  type SwaggerForm,
  type SwaggerPieces,
  swaggerBody,
  swaggerPieces,
} from './swagger-pieces.ts'

/** The API in OpenAPI. Documents are made on the first request, and kept as bytes. */
export interface OpenApi {
  /** Every OpenAPI v3 document with the URL under which it can be cached for ever. */
  index(): Promise<OpenApiDocument>
  /** The OpenAPI v3 document of `api/v1`, `apis/{group}/{version}`, `version`, …; undefined if there is none. */
  document(key: string): OpenApiDocument | undefined
  /** The whole API in one OpenAPI v2 document, as JSON or as a message of gnostic. */
  swagger(form: SwaggerForm): Promise<OpenApiDocument>
}

/** Lets other work run first. Describing hundreds of kinds takes long, and requests are waiting. */
export type Turn = () => Promise<void>

export function createOpenApi(
  api: DescribableApi,
  routes: DescribableRoutes,
  turn: Turn,
  /** The version of the API in the OpenAPI v2 document. */
  version: string = versionInfo.gitVersion,
): OpenApi {
  const library = new Library(routes)
  let described: Description | undefined
  // A new list means that the served resources have changed. Unchanged documents are not made again.
  const current = (): Description => {
    const isCurrent = described?.resources === api.resources && described.registered === api.registered
    if (!described || !isCurrent) described = new Description(api, library, described)
    return described
  }
  return {
    index: () => current().index(turn),
    document: (key) => current().document(key),
    swagger: (form) => current().swagger(form, turn, version),
  }
}

/** The URL of a document; it changes with the document. */
export function documentUrl(key: string, hash: string): string {
  return `/openapi/v3/${key}?hash=${hash}`
}

class Description {
  readonly resources: readonly DescribableResource[]
  readonly registered: DescribableApi['registered']
  readonly groupVersions: ReadonlyMap<string, GroupVersion>
  readonly builtIn: BuiltIn
  readonly #remote: RemoteVersions
  readonly #library: Library
  readonly #made = new Map<SwaggerForm | 'index', Promise<OpenApiDocument>>()

  constructor(api: DescribableApi, library: Library, before: Description | undefined) {
    this.resources = api.resources
    this.registered = api.registered
    this.#library = library
    this.#remote = new RemoteVersions(api.registered ?? [])
    const resources = this.#remote.leaveOut(api.resources)
    const builtIn = resources.filter(({ definition }) => !definition.isCustom)
    this.builtIn = before?.builtIn.isOf(builtIn) ? before.builtIn : new BuiltIn(builtIn, library)
    const groupVersions = new Map<string, GroupVersion>()
    for (const [key, mine] of byGroupVersion(resources)) {
      const known = before?.groupVersions.get(key)
      groupVersions.set(key, known?.isOf(mine) ? known : new GroupVersion(mine, library))
    }
    this.groupVersions = groupVersions
    for (const [key, old] of before?.groupVersions ?? []) {
      if (groupVersions.get(key) !== old) library.shelf.drop(old)
    }
  }

  document(key: string): OpenApiDocument | undefined {
    return (
      this.#remote.documents.get(key) ?? this.groupVersions.get(key)?.document() ?? this.builtIn.root(key)
    )
  }

  index(turn: Turn): Promise<OpenApiDocument> {
    return this.#once('index', async () => {
      const paths: Record<string, Json> = {}
      const { documents } = this.#remote
      const keys = [...this.builtIn.roots.keys(), ...this.groupVersions.keys(), ...documents.keys()]
      for (const key of keys.sort()) {
        await turn()
        const own = this.groupVersions.get(key)?.hash ?? this.builtIn.root(key)?.hash
        const hash = documents.get(key)?.hash ?? own ?? ''
        paths[key] = { serverRelativeURL: documentUrl(key, hash) }
      }
      return documentOf({ paths })
    })
  }

  swagger(form: SwaggerForm, turn: Turn, version: string): Promise<OpenApiDocument> {
    return this.#once(form, async () => {
      const custom = [...this.groupVersions.values()].filter(({ hasCustom }) => hasCustom)
      const pieces = [this.builtIn.pieces(form)]
      if (custom.length > 0) pieces.push(this.#library.sharedPieces(form))
      for (const each of custom) {
        await turn()
        pieces.push(each.customPieces(form))
      }
      if (this.#remote.hasSwagger) {
        await turn()
        // First, because they have this server's definitions with more kinds, too.
        pieces.unshift(swaggerPieces(form, this.#remote.merged(this.#definitions())))
      }
      return hashed(swaggerBody(form, version, pieces))
    })
  }

  /** Finds the OpenAPI v2 definitions of this server by name. */
  #definitions(): (name: string) => Json | undefined {
    const custom = [...this.groupVersions.values()].filter(({ hasCustom }) => hasCustom)
    const homes = new Map(custom.flatMap((each) => each.customNames.map((name) => [name, each] as const)))
    const known = new Map<string, Piece>()
    const learn = ({ definitions }: SwaggerPieces): void => {
      for (const piece of definitions) if (!known.has(piece.name)) known.set(piece.name, piece)
    }
    learn(this.builtIn.pieces('json'))
    if (custom.length > 0) learn(this.#library.sharedPieces('json'))
    return (name) => {
      const home = known.has(name) ? undefined : homes.get(name)
      if (home) learn(home.customPieces('json'))
      const piece = known.get(name)
      return piece && parsePiece(piece)
    }
  }

  /** Concurrent requests share one computation. */
  #once(name: SwaggerForm | 'index', make: () => Promise<OpenApiDocument>): Promise<OpenApiDocument> {
    const known = this.#made.get(name)
    if (known !== undefined) return known
    const document = make()
    this.#made.set(name, document)
    return document
  }
}

/** The parts of the description that do not change. */
class BuiltIn {
  /** The documents above the group versions. */
  readonly roots: ReadonlyMap<string, () => Json>
  readonly #resources: readonly DescribableResource[]
  readonly #library: Library
  readonly #made = new Map<string, OpenApiDocument>()
  readonly #pieces = new Map<SwaggerForm, SwaggerPieces>()

  constructor(resources: readonly DescribableResource[], library: Library) {
    this.#resources = resources
    this.#library = library
    const groups = new Set(resources.map(({ group }) => group).filter((group) => group !== ''))
    this.roots = rootDocuments([...groups], library.routes.isCompared)
  }

  isOf(resources: readonly DescribableResource[]): boolean {
    return (
      resources.length === this.#resources.length &&
      resources.every((each, at) => each === this.#resources[at])
    )
  }

  root(key: string): OpenApiDocument | undefined {
    const known = this.#made.get(key)
    if (known) return known
    const make = this.roots.get(key)
    if (!make) return undefined
    const document = documentOf(make())
    this.#made.set(key, document)
    return document
  }

  pieces(form: SwaggerForm): SwaggerPieces {
    const known = this.#pieces.get(form)
    if (known) return known
    const versions = [...byGroupVersion(this.#resources)].map(
      ([key, mine]) => [key, () => groupVersionDocument(mine, this.#library.routes)] as const,
    )
    const makers = [...this.roots, ...versions].sort(([a], [b]) => (a < b ? -1 : 1))
    const pieces = swaggerPieces(form, swaggerParts(makers.map(([, make]) => make())))
    this.#pieces.set(form, pieces)
    return pieces
  }
}

function byGroupVersion(resources: readonly DescribableResource[]): Map<string, GroupVersionResources> {
  const found = new Map<string, [DescribableResource, ...DescribableResource[]]>()
  for (const resource of resources) {
    const { group, versionName } = resource
    const key = group === '' ? `api/${versionName}` : `apis/${group}/${versionName}`
    const others = found.get(key)
    if (others) others.push(resource)
    else found.set(key, [resource])
  }
  return found
}
