import { sha256 } from '../checksums.ts'
import type { Platform } from '../platforms.ts'
import { compress, type TarEntry, writeTar } from '../tar.ts'

export interface PlatformImage {
  readonly platform: Platform
  /** From the lowest up. */
  readonly layers: readonly (readonly TarEntry[])[]
}

/** A user without rights: what the processes in the container run as. */
export const imageUser = 65532
export const dataFolder = 'var/lib/strata'
export const programPath = 'usr/bin/strata'

const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** The files of an OCI image layout with one image per platform. The same images give the same bytes. */
export function layOutImage(version: string, images: readonly PlatformImage[]): readonly TarEntry[] {
  const blobs = new Map<string, Buffer>()
  const store = (mediaType: string, bytes: Buffer) => {
    const digest = sha256(bytes)
    blobs.set(digest, bytes)
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length }
  }
  const storeJson = (mediaType: string, value: object) => store(mediaType, Buffer.from(JSON.stringify(value)))

  const manifests = images.map(({ platform: { os, arch }, layers }) => {
    const archives = layers.map(writeTar)
    const config = storeJson(CONFIG, configOf(version, os, arch, archives))
    const stored = archives.map((archive) => store(LAYER, compress(archive)))
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: stored }
    return { ...storeJson(MANIFEST, manifest), platform: { os, architecture: arch } }
  })
  // An index of its own, so that one name stands for the image of all platforms.
  const all = storeJson(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests })
  const annotations = { 'org.opencontainers.image.ref.name': version }
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...all, annotations }] }
  return [
    { path: 'oci-layout', content: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
    { path: 'index.json', content: Buffer.from(JSON.stringify(index)) },
    ...['blobs', 'blobs/sha256'].map((path) => ({ path })),
    ...[...blobs].map(([digest, content]) => ({ path: `blobs/sha256/${digest}`, content })),
  ]
}

const configOf = (version: string, os: string, architecture: string, archives: readonly Uint8Array[]) => ({
  // The bytes say what is inside; when they were put together says nothing.
  created: '1970-01-01T00:00:00Z',
  ...{ architecture, os },
  config: {
    User: `${imageUser}:${imageUser}`,
    Env: ['PATH=/usr/bin'],
    Entrypoint: [`/${programPath}`],
    WorkingDir: `/${dataFolder}`,
    Labels: {
      'org.opencontainers.image.title': 'strata',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
    StopSignal: 'SIGTERM',
  },
  rootfs: { type: 'layers', diff_ids: archives.map((archive) => `sha256:${sha256(archive)}`) },
  history: archives.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'npm run package' })),
})
