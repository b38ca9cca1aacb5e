import { stringify } from 'yaml'
import type { Platform } from './platforms.ts'

export interface KrewArchive {
  readonly platform: Platform
  readonly uri: string
  readonly sha256: string
}

/** What `kubectl krew install` reads: where the archive for each platform is, and what to take from it. */
export function renderKrewManifest(version: string, archives: readonly KrewArchive[]): string {
  return stringify(
    {
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'strata' },
      spec: {
        version: `v${version}`,
        shortDescription: 'Migrate stored objects and prove it',
        description: [
          'Shows in which versions objects are stored, rewrites them in the current one, says what',
          'that proves, and drops old versions of CustomResourceDefinitions when nothing needs them.',
          'Works on any Kubernetes cluster. Nothing is installed in it.\n',
        ].join('\n'),
        platforms: archives.map(({ platform, uri, sha256 }) => ({
          selector: { matchLabels: { os: platform.os, arch: platform.arch } },
          ...{ uri, sha256, bin: 'strata' },
          files: ['strata', 'kubectl_complete-strata', 'LICENSE', 'NOTICES'].map((from) => ({
            from,
            to: '.',
          })),
        })),
      },
    },
    { lineWidth: 0 },
  )
}
