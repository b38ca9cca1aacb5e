import type { RegisteredVersion } from '../../discovery/index.ts'
import type { Json } from '../components.ts'
import type { DescribableResource } from '../describable.ts'
import type { OpenApiDocument } from '../openapi-document.ts'
import { mergeSwagger } from './merge-swagger.ts'
import type { RemoteSwagger } from './read-swagger.ts'
import { remoteParts } from './remote-documents.ts'

/** The versions that other servers serve. Nothing is merged before the first request for it. */
export class RemoteVersions {
  /** The OpenAPI v3 documents, by key: `apis/{group}/{version}`. */
  readonly documents: ReadonlyMap<string, OpenApiDocument>
  readonly #versions: readonly RegisteredVersion[]
  #merged: RemoteSwagger | undefined

  constructor(registered: readonly RegisteredVersion[]) {
    this.#versions = registered.filter(({ isRemote }) => isRemote)
    this.documents = new Map(
      this.#versions.flatMap(({ group, versionName, openApi }) =>
        openApi?.document ? [[`apis/${group}/${versionName}`, openApi.document] as const] : [],
      ),
    )
  }

  get hasSwagger(): boolean {
    return this.#versions.some(({ openApi }) => openApi?.swagger)
  }

  /** The resources without those of versions that are served elsewhere, though a CRD defines them here. */
  leaveOut(resources: readonly DescribableResource[]): readonly DescribableResource[] {
    if (this.#versions.length === 0) return resources
    const elsewhere = new Set(this.#versions.map(({ group, versionName }) => `${group}/${versionName}`))
    return resources.filter(({ apiVersion }) => !elsewhere.has(apiVersion))
  }

  merged(ownDefinition: (name: string) => Json | undefined): RemoteSwagger {
    this.#merged ??= mergeSwagger(ownDefinition, remoteParts(this.#versions))
    return this.#merged
  }
}
