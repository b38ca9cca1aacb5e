import { Components, type Json } from './components.ts'
import { customDigest, sampleKind } from './custom-digest.ts'
import { customDefinitions } from './custom-kinds.ts'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { DocumentShelf } from './document-shelf.ts'
import { type GroupVersionResources, groupVersionDocument } from './group-version-document.ts'
import { documentOf, hashOf, type OpenApiDocument } from './openapi-document.ts'
import { resourcePaths } from './operations.ts'
import { swaggerPath, swaggerSchema } from './swagger-parts.ts'
import { type SwaggerForm, type SwaggerPieces, swaggerPieces } from './swagger-pieces.ts'
import { typePackage } from './type-names.ts'

/** How much of the documents of custom kinds is kept. They are made again in a few milliseconds. */
const keptBytes = 32 * 1024 * 1024

const customMediaTypes = ['application/json', 'application/yaml']

/** The data that documents of all group versions share. */
export class Library {
  readonly routes: DescribableRoutes
  readonly shelf = new DocumentShelf<GroupVersion>(keptBytes)
  readonly #digests = new WeakMap<DescribableResource, string>()
  readonly #shared = new Map<SwaggerForm, SwaggerPieces>()
  #sample: OpenApiDocument | undefined

  constructor(routes: DescribableRoutes) {
    this.routes = routes
  }

  /** Changes whenever the format of documents of custom kinds changes. */
  get customForm(): string {
    return this.#sampleDocument().hash
  }

  digest(resource: DescribableResource): string {
    const known = this.#digests.get(resource)
    if (known !== undefined) return known
    const digest = customDigest(resource, this.routes)
    this.#digests.set(resource, digest)
    return digest
  }

  /** The definitions that all custom kinds refer to, whether or not a built-in kind does, too. */
  sharedPieces(form: SwaggerForm): SwaggerPieces {
    const known = this.#shared.get(form)
    if (known) return known
    const { components } = JSON.parse(Buffer.from(this.#sampleDocument().body).toString())
    const own = `${typePackage(sampleKind)}.`
    const shared = Object.entries(components.schemas as Json).filter(([name]) => !name.startsWith(own))
    const definitions = Object.fromEntries(shared.map(([name, each]) => [name, swaggerSchema(each as Json)]))
    const pieces = swaggerPieces(form, { paths: {}, definitions })
    this.#shared.set(form, pieces)
    return pieces
  }

  #sampleDocument(): OpenApiDocument {
    this.#sample ??= documentOf(groupVersionDocument([sampleKind], this.routes))
    return this.#sample
  }
}

/** The documents of one group version. It is kept while the same resources are served in it. */
export class GroupVersion {
  readonly resources: GroupVersionResources
  readonly #library: Library
  readonly #custom: readonly DescribableResource[]
  readonly #pieces = new Map<SwaggerForm, SwaggerPieces>()
  #document: OpenApiDocument | undefined
  #hash: string | undefined

  constructor(resources: GroupVersionResources, library: Library) {
    this.resources = resources
    this.#library = library
    this.#custom = resources.filter(({ definition }) => definition.isCustom)
  }

  isOf(resources: GroupVersionResources): boolean {
    return (
      this.resources.length === resources.length && resources.every((each, at) => each === this.resources[at])
    )
  }

  /** For custom kinds alone it is computed without the document: there may be hundreds, and few are read. */
  get hash(): string {
    if (!this.#isCustom) return this.document().hash
    this.#hash ??= hashOf(
      this.#library.customForm,
      ...this.#custom.map((resource) => this.#library.digest(resource)).sort(),
    )
    return this.#hash
  }

  document(): OpenApiDocument {
    if (this.#isCustom) {
      return { body: this.#library.shelf.get(this, () => this.#make().body), hash: this.hash }
    }
    this.#document ??= this.#make()
    return this.#document
  }

  /** The OpenAPI v2 pieces of its custom kinds; built-in kinds are described together. */
  customPieces(form: SwaggerForm): SwaggerPieces {
    const known = this.#pieces.get(form)
    if (known) return known
    const paths = this.#custom.flatMap((resource) =>
      Object.entries(resourcePaths(resource, this.#library.routes, new Components())).map(([path, item]) => [
        path,
        swaggerPath(item, customMediaTypes),
      ]),
    )
    const pieces = swaggerPieces(form, {
      paths: Object.fromEntries(paths),
      definitions: Object.fromEntries(this.#custom.flatMap((each) => [...customDefinitions(each)])),
    })
    this.#pieces.set(form, pieces)
    return pieces
  }

  /** The names of the OpenAPI v2 definitions of its custom kinds. */
  get customNames(): readonly string[] {
    return this.#custom.flatMap((resource) => {
      const { kind, listKind } = resource.definition
      return [`${typePackage(resource)}.${kind}`, `${typePackage(resource)}.${listKind}`]
    })
  }

  get hasCustom(): boolean {
    return this.#custom.length > 0
  }

  get #isCustom(): boolean {
    return this.#custom.length === this.resources.length
  }

  #make(): OpenApiDocument {
    return documentOf(groupVersionDocument(this.resources, this.#library.routes))
  }
}
