import { gunzipSync } from 'node:zlib'
import type { ApiObject } from '@strata/api'
import { type Client, isNotFound } from '@strata/client'

/** A kind in the manifests of a release of Helm. */
export interface ReleasedKind {
  readonly apiVersion: string
  readonly kind: string
  /** `shop/web (revision 3)`. */
  readonly release: string
}

export interface HelmSight {
  readonly found: readonly ReleasedKind[]
  /** Releases that cannot be unpacked: they may name any version. */
  readonly unreadable: readonly string[]
}

interface ReleaseObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>
}

const deployed = 'owner=helm,status=deployed'
/** A release is stored in one object of at most 1 MiB; unpacked it is text that compresses well. */
const mostBytes = 64 << 20

/**
 * The kinds in the manifests of every deployed release. Helm keeps them in Secrets, or in ConfigMaps if it is told so. Each is
 * read by itself: together they may be large.
 */
export async function observeHelm(client: Client, signal: AbortSignal): Promise<HelmSight> {
  const found: ReleasedKind[] = []
  const unreadable: string[] = []
  for (const resource of ['secrets', 'configmaps']) {
    const address = { group: '', versionName: 'v1', resource, namespaced: true }
    const { items } = await client.metadata(address).list({ labelSelector: deployed }, signal)
    for (const { metadata } of items) {
      const reference = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
      try {
        const object = await client.resource<ReleaseObject>(address).get(reference, signal)
        const { name = reference.name, version = '?' } = metadata.labels ?? {}
        const release = `${reference.namespace}/${name} (revision ${version})`
        const manifest = manifestOf(object.data?.['release'] ?? '', resource === 'secrets')
        if (manifest === undefined) unreadable.push(release)
        else found.push(...kindsIn(manifest).map((each) => ({ ...each, release })))
      } catch (error) {
        // It was replaced by another revision meanwhile.
        if (!isNotFound(error)) throw error
      }
    }
  }
  return { found, unreadable }
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
