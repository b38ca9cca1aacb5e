import {
  type Enabled,
  readEnabled,
  readFixtures,
  readGroupName,
  readHashes,
  readKnownKinds,
  readLifecycle,
  readOverrides,
  readVersionPriority,
  type StorageFixture,
} from './go-source.ts'
import type { ReleaseSource } from './release-source.ts'

/** One version of a group: what its program knows of it. */
export interface KnownVersion {
  readonly versionName: string
  readonly kinds: readonly string[]
  /** By kind, minor releases. */
  readonly introduced: ReadonlyMap<string, number>
  readonly removed: ReadonlyMap<string, number>
}

export interface KnownGroup {
  readonly group: string
  readonly directory: string
  /** Kinds that the program can hold in memory: objects of other kinds cannot be decoded. */
  readonly kinds: readonly string[]
  /** The preferred one first. */
  readonly versions: readonly KnownVersion[]
}

/** What the sources of one release say. */
export interface ReleaseFiles {
  readonly tag: string
  readonly minor: number
  readonly groups: readonly KnownGroup[]
  readonly enabled: Enabled
  readonly overrides: ReturnType<typeof readOverrides>
  readonly fixtures: readonly StorageFixture[]
  /** Upstream's own list of hashes; empty since 1.36. */
  readonly hashes: ReadonlyMap<string, string>
  /** Resources whose hash in that list is of another version: until 1.24 its test had overrides of its own. */
  readonly otherHashes: readonly string[]
  /** Since 1.31, a version that the previous minor release does not know is not stored. */
  readonly keepsPreviousReadable: boolean
}

/** CRDs and APIServices have servers and folders of their own. */
const homes = [
  { internal: 'pkg/apis/', external: 'staging/src/k8s.io/api/' },
  {
    internal: 'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/',
    external: 'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/',
  },
  {
    internal: 'staging/src/k8s.io/kube-aggregator/pkg/apis/',
    external: 'staging/src/k8s.io/kube-aggregator/pkg/apis/',
  },
] as const

export function readRelease(source: ReleaseSource, minor: number): ReleaseFiles {
  const need = (...paths: string[]): string => {
    for (const path of paths) {
      const text = source.read(path)
      if (text !== undefined) return text
    }
    throw new Error(`${source.tag} has none of ${paths.join(', ')}`)
  }
  const groups = homes.flatMap(({ internal, external }) =>
    source
      .list(internal)
      .filter((path) => path.endsWith('/install/install.go'))
      .flatMap((path) => readGroup(source, need, path, { internal, external })),
  )
  const data = [
    'pkg/controlplane/storageversionhashdata/data.go',
    'pkg/master/storageversionhashdata/data.go',
  ]
  const overrides = readOverrides(need('pkg/kubeapiserver/default_storage_factory_builder.go'))
  const hashTest =
    source.read('pkg/controlplane/instance_test.go') ?? source.read('pkg/master/master_test.go') ?? ''
  const encoding = need('staging/src/k8s.io/apiserver/pkg/server/storage/resource_encoding_config.go')
  return {
    ...{ tag: source.tag, minor, groups },
    enabled: readEnabled(need('pkg/controlplane/instance.go', 'pkg/master/master.go')),
    overrides,
    fixtures: readFixtures(need('test/integration/etcd/data.go')),
    hashes: readHashes(data.map((path) => source.read(path)).find((text) => text !== undefined) ?? ''),
    otherHashes: [...readOverrides(hashTest), ...(minor < 25 ? overrides : [])].map(
      ({ resource }) => resource,
    ),
    keepsPreviousReadable: encoding.includes('func emulatedStorageVersion('),
  }
}

function readGroup(
  source: ReleaseSource,
  need: (path: string) => string,
  install: string,
  { internal, external }: { readonly internal: string; readonly external: string },
): KnownGroup[] {
  const directory = install.slice(internal.length, -'/install/install.go'.length)
  const register = need(`${internal}${directory}/register.go`)
  const group = readGroupName(register)
  if (group === undefined) return []
  const versions = readVersionPriority(need(install)).map((versionName) => {
    const folder = `${external}${directory}/${versionName}`
    const lifecycle = source.read(`${folder}/zz_generated.prerelease-lifecycle.go`) ?? ''
    return {
      versionName,
      kinds: readKnownKinds(source.read(`${folder}/register.go`) ?? ''),
      introduced: readLifecycle(lifecycle, 'Introduced'),
      removed: readLifecycle(lifecycle, 'Removed'),
    }
  })
  return [{ group, directory, kinds: readKnownKinds(register), versions }]
}
