import { createHash } from 'node:crypto'
import { versionInfo } from '../discovery/index.ts'
import type { Json } from './components.ts'
import type { DescribableApi, DescribableResource, DescribableRoutes } from './describable.ts'
import { gnosticDocument } from './gnostic.ts'
import { type GroupVersionResources, groupVersionDocument } from './group-version-document.ts'
import { rootDocuments } from './root-documents.ts'
import { swaggerDocument } from './swagger-document.ts'

export interface OpenApiDocument {
  readonly body: Uint8Array
  /** Upper-case hex of the SHA-512 of the body. */
  readonly hash: string
}

/** The API in the words of OpenAPI. Documents are made when somebody asks for the first time, and kept as bytes. */
export interface OpenApi {
  /** Every document of OpenAPI v3 with the address that it can be kept under for ever. */
  index(): OpenApiDocument
  /** The document of OpenAPI v3 of `api/v1`, `apis/{group}/{version}`, `version`, …; undefined where there is none. */
  document(key: string): OpenApiDocument | undefined
  /** Everything in one document of OpenAPI v2, in JSON or as a message of gnostic. */
  swagger(form: SwaggerForm): OpenApiDocument
}

export type SwaggerForm = 'json' | 'protobuf'

export function createOpenApi(api: DescribableApi, routes: DescribableRoutes): OpenApi {
  let described: Description | undefined
  // Whoever changes what is served hands in another list. What has not changed is not made again.
  const current = (): Description => {
    if (described?.resources !== api.resources) described = new Description(api.resources, routes, described)
    return described
  }
  return {
    index: () => current().index(),
    document: (key) => current().document(key),
    swagger: (form) => current().swagger(form),
  }
}

/** The address of a document; another document has another. */
export function documentUrl(key: string, hash: string): string {
  return `/openapi/v3/${key}?hash=${hash}`
}

class Description {
  readonly resources: readonly DescribableResource[]
  readonly #groupVersions: ReadonlyMap<string, GroupVersionResources>
  readonly #makers: ReadonlyMap<string, () => Json>
  readonly #made = new Map<string, OpenApiDocument>()
  readonly #swagger = new Map<SwaggerForm, OpenApiDocument>()
  #index: OpenApiDocument | undefined

  constructor(
    resources: readonly DescribableResource[],
    routes: DescribableRoutes,
    before: Description | undefined,
  ) {
    this.resources = resources
    this.#groupVersions = byGroupVersion(resources)
    const groups = new Set(resources.map(({ group }) => group).filter((group) => group !== ''))
    const makers = new Map(rootDocuments([...groups]))
    for (const [key, mine] of this.#groupVersions) {
      makers.set(key, () => groupVersionDocument(mine, routes))
      const kept = before?.keptFor(key, mine)
      if (kept) this.#made.set(key, kept)
    }
    this.#makers = new Map([...makers].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  keptFor(key: string, resources: GroupVersionResources): OpenApiDocument | undefined {
    const mine = this.#groupVersions.get(key)
    const isSame = mine?.length === resources.length && mine.every((each, index) => each === resources[index])
    return isSame ? this.#made.get(key) : undefined
  }

  index(): OpenApiDocument {
    this.#index ??= documentOf({
      paths: Object.fromEntries(
        [...this.#makers.keys()].map((key) => {
          const hash = this.document(key)?.hash ?? ''
          return [key, { serverRelativeURL: documentUrl(key, hash) }]
        }),
      ),
    })
    return this.#index
  }

  swagger(form: SwaggerForm): OpenApiDocument {
    const made = this.#swagger.get(form)
    if (made) return made
    const document = this.#makeSwagger(form)
    this.#swagger.set(form, document)
    return document
  }

  #makeSwagger(form: SwaggerForm): OpenApiDocument {
    const parse = (bytes: Uint8Array): Json => JSON.parse(Buffer.from(bytes).toString()) as Json
    if (form === 'protobuf') return hashed(gnosticDocument(parse(this.swagger('json').body)))
    const documents = [...this.#makers.keys()].flatMap((key) => this.document(key) ?? [])
    return documentOf(
      swaggerDocument(
        documents.map(({ body }) => parse(body)),
        versionInfo.gitVersion,
      ),
    )
  }

  document(key: string): OpenApiDocument | undefined {
    const made = this.#made.get(key)
    if (made) return made
    const make = this.#makers.get(key)
    if (!make) return undefined
    const document = documentOf(make())
    this.#made.set(key, document)
    return document
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

function documentOf(value: Json): OpenApiDocument {
  return hashed(Buffer.from(JSON.stringify(value)))
}

function hashed(body: Buffer): OpenApiDocument {
  return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() }
}
