import { gunzipSync } from 'node:zlib'
import type { ApiObject } from '@strata/api'
import { type Client, isNotFound, type ResourceClient } from '@strata/client'
import { severalAtOnce } from '@strata/world'
import { decideRevisions, type HelmRevision, revisionText } from './decide-revisions.ts'

/** A kind in the manifests of a release of Helm. */
export interface ReleasedKind {
  readonly apiVersion: string
  readonly kind: string
  /** `shop/web (revision 3)`. */
  readonly release: string
  /** Otherwise only a rollback would apply it. */
  readonly inUse: boolean
}

export interface HelmSight {
  readonly found: readonly ReleasedKind[]
  /** Releases that cannot be unpacked: they may name any version. */
  readonly unreadable: readonly string[]
}

interface ReleaseObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>
}

/** A release is stored in one object of at most 1 MiB; unpacked it is text that compresses well. */
const mostBytes = 64 << 20

/** Each may be a megabyte. */
const readsAtOnce = 4

/**
 * The kinds in the manifests of every revision of every release. Helm keeps them in Secrets, or in ConfigMaps if it is told so.
 * Each is read by itself: together they may be large.
 */
export async function observeHelm(client: Client, signal: AbortSignal): Promise<HelmSight> {
  const found: ReleasedKind[] = []
  const unreadable: string[] = []
  for (const resource of ['secrets', 'configmaps']) {
    const address = { group: '', versionName: 'v1', resource, namespaced: true }
    const { items } = await client.metadata(address).list({ labelSelector: 'owner=helm' }, signal)
    await severalAtOnce(readsAtOnce, decideRevisions(items.map(revisionOf)), async (each) => {
      const object = await readOrGone(client.resource<ReleaseObject>(address), each, signal)
      if (object === undefined) return
      const release = revisionText(each)
      const manifest = manifestOf(object.data?.['release'] ?? '', resource === 'secrets')
      if (manifest !== undefined)
        found.push(...kindsIn(manifest).map((kind) => ({ ...kind, release, inUse: each.inUse })))
      // A damaged revision of the past cannot be rolled back to either.
      else if (each.inUse) unreadable.push(release)
    })
  }
  found.sort((a, b) => a.release.localeCompare(b.release, 'en', { numeric: true }))
  return { found, unreadable: unreadable.sort() }
}

function revisionOf({ metadata }: ApiObject): HelmRevision {
  const { namespace = '', name = '', labels = {} } = metadata
  const { name: release = name, version, status = 'deployed' } = labels
  return { namespace, name, release, revision: Number(version ?? 0), status }
}

/** Undefined if it was replaced by another revision meanwhile. */
async function readOrGone(
  objects: ResourceClient<ReleaseObject>,
  { namespace, name }: HelmRevision,
  signal: AbortSignal,
): Promise<ReleaseObject | undefined> {
  try {
    return await objects.get({ namespace, name }, signal)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** In a Secret, the API encodes Helm's own encoding once more. Undefined for what is no release of Helm 3. */
export function manifestOf(packed: string, isSecret: boolean): string | undefined {
  try {
    const once = isSecret ? Buffer.from(packed, 'base64').toString('latin1') : packed
    const text = gunzipSync(Buffer.from(once, 'base64'), { maxOutputLength: mostBytes }).toString()
    const { manifest } = (JSON.parse(text) ?? {}) as { readonly manifest?: unknown }
    return typeof manifest === 'string' ? manifest : undefined
  } catch {
    return undefined
  }
}

/** The kind of each document, by the lines that begin it: they stand at the left margin. */
export function kindsIn(manifest: string): readonly Pick<ReleasedKind, 'apiVersion' | 'kind'>[] {
  return manifest.split(/^---.*$/m).flatMap((document) => {
    const [, apiVersion] = /^apiVersion:\s*["']?([^\s"'#]+)/m.exec(document) ?? []
    const [, kind] = /^kind:\s*["']?([^\s"'#]+)/m.exec(document) ?? []
    return apiVersion === undefined || kind === undefined ? [] : [{ apiVersion, kind }]
  })
}
