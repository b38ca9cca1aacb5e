import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** A CustomResourceDefinition as its project publishes it, as far as tests look into it. */
export interface PublishedCrd {
  /** `<project>/<release>/<name>.yaml` */
  readonly file: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: {
      readonly kind: string
      readonly listKind?: string
      readonly plural: string
      readonly singular?: string
      readonly shortNames?: readonly string[]
      readonly categories?: readonly string[]
    }
    readonly versions: readonly PublishedVersion[]
    readonly conversion?: { readonly strategy: string }
  }
}

/** All that a project publishes in one release. */
export interface PublishedRelease {
  readonly release: string
  /** The directory of the files. */
  readonly path: string
  readonly crds: readonly PublishedCrd[]
}

export interface PublishedProject {
  readonly project: string
  /** In the order in which they were published. */
  readonly releases: readonly PublishedRelease[]
}

export interface PublishedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly schema?: { readonly openAPIV3Schema?: Readonly<Record<string, unknown>> }
  readonly subresources?: { readonly status?: object; readonly scale?: object }
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** They are not part of this repository: beside the clone, or wherever STRATA_CRDS says. */
function folder(): string | undefined {
  const given = process.env.STRATA_CRDS
  if (given !== undefined) return existsSync(given) ? given : undefined
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    const beside = join(at, 'shared', 'crds')
    if (existsSync(beside)) return beside
  }
  return undefined
}

/** Every so-manieth of the published definitions; none where there is no data. */
export function publishedCrds(every = 1): readonly PublishedCrd[] {
  return publishedFiles()
    .filter((_, index) => index % every === 0)
    .flatMap(readPublished)
}

/** As `<project>/<release>/<name>.yaml`, in order; none where there is no data. */
export function publishedFiles(): readonly string[] {
  const root = folder()
  if (root === undefined) return []
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
}

export function readPublished(file: string): readonly PublishedCrd[] {
  return parseAllDocuments(readFileSync(join(folder() ?? '', file), 'utf8')).flatMap((document) => {
    const crd = document.toJS()
    return crd?.kind === 'CustomResourceDefinition' ? [{ ...crd, file }] : []
  })
}

/** By project and release; only those that are wanted are read, which takes a while. */
export function publishedProjects(isWanted?: (project: string) => boolean): PublishedProject[] {
  return publishedReleases(isWanted).map(({ project, releases }) => ({
    project,
    releases: releases.map(({ release, path }) => {
      const files = readdirSync(path).filter((file) => file.endsWith('.yaml'))
      const crds = files.sort().flatMap((file) => readPublished(join(project, release, file)))
      return { release, path, crds }
    }),
  }))
}

/** The directories of the releases of each project, unread. */
export function publishedReleases(isWanted: (project: string) => boolean = () => true) {
  const root = folder()
  if (root === undefined) return []
  return foldersIn(root)
    .filter(isWanted)
    .map((project) => ({
      project,
      releases: foldersIn(join(root, project))
        .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
        .map((release) => ({ release, path: join(root, project, release) })),
    }))
}

function foldersIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
