import { createHash } from 'node:crypto'
import type { Component } from './components.ts'

/** A package of Debian in the container image. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly sha256: string
}

/** The parts of all that is published, as a CycloneDX 1.6 document. The same parts give the same bytes. */
export function renderSbom(
  version: string,
  components: readonly Component[],
  debian: readonly DebianPackage[] = [],
): string {
  const own = `pkg:npm/strata@${version}`
  const parts = [...components.map(npmComponent), ...debian.map(debianComponent)]
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([own, parts]))}`,
    version: 1,
    metadata: {
      component: {
        ...{ type: 'application', 'bom-ref': own, name: 'strata', version, purl: own },
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components: parts,
    dependencies: [{ ref: own, dependsOn: parts.map((part) => part['bom-ref']) }],
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function npmComponent({ name, version, licence, integrity = '' }: Component) {
  const [, digest = ''] = integrity.split(/-(.*)/s)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    ...{ type: 'library', 'bom-ref': purl, name, version, purl },
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [{ expression: licence }],
  }
}

function debianComponent({ name, version, architecture, sha256 }: DebianPackage) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
  return {
    ...{ type: 'library', 'bom-ref': purl, name, version, purl },
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
}

/** A name-based UUID (version 8 is free for any such scheme). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
